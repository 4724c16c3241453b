/** The applications of a development network. The chain runs without them. */
export const DEVNET_SERVICES = ['web', 'faucet', 'bridge', 'platform', 'index'] as const
export type DevnetService = (typeof DEVNET_SERVICES)[number]

/** Reports whether the role runs in a network with these services; every other role is part of the chain. */
export function isRunWith(services: readonly DevnetService[], role: string): boolean {
  return !(DEVNET_SERVICES as readonly string[]).includes(role) || (services as readonly string[]).includes(role)
}
