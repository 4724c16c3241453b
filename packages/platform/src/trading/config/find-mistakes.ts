/** Finds mistakes across fields of a trading configuration: unknown chains and conflicting wallets. */
import type { ChainConfig } from '../../market/chain/chain-config.ts'
import type { TradingConfig, WalletConfig } from './trading-config.ts'

/** Messages such as `wallets.0.chainIds: ...`; empty when there is no mistake. */
export function findMistakes({ wallets }: TradingConfig, chains: readonly ChainConfig[]): readonly string[] {
  return wallets.flatMap((wallet, i) => [
    ...keyMistakes(wallet).map((why) => `wallets.${i}: ${why}`),
    ...chainMistakes(wallet, chains).map((why) => `wallets.${i}.${why}`),
    ...wallets.slice(0, i).flatMap((other, j) => sharedRef(wallet, other).map((why) => `wallets.${i}.ref: ${why} (wallets.${j})`)),
  ])
}

function keyMistakes({ keystore, remoteSigner }: WalletConfig): readonly string[] {
  return (keystore === undefined) === (remoteSigner === undefined) ? ['expected either keystore or remoteSigner'] : []
}

function chainMistakes({ chainIds, policy }: WalletConfig, chains: readonly ChainConfig[]): readonly string[] {
  const find = (id: number) => chains.find((chain) => chain.id === id)
  const ids = chains.map(({ id }) => id).join(', ') || 'none'
  const unknown = (field: string, id: number) =>
    find(id) === undefined ? [`${field}: chain ${id} is not configured, expected one of ${ids}`] : []
  const tradeable = chainIds.flatMap((id, i) => {
    const chain = find(id)
    if (chain === undefined) return unknown(`chainIds.${i}`, id)
    return chain.exchange === null || chain.wrappedNative === null
      ? [`chainIds.${i}: chain ${id} has no exchange or no wrappedNative in its configuration, so nothing can be traded there`]
      : []
  })
  const routers = policy.chainIds.flatMap((id) => {
    const router = find(id)?.exchange?.router
    const isAllowed = policy.contracts.some(({ chainId, address }) => chainId === id && address === router)
    return router === undefined || isAllowed || !policy.enabled
      ? []
      : [`policy.contracts: the router ${router} of chain ${id} is not among them, so nothing could be traded there`]
  })
  return [
    ...tradeable,
    ...policy.chainIds.flatMap((id, i) =>
      chainIds.includes(id) ? [] : [`policy.chainIds.${i}: the wallet is not of chain ${id}, expected one of ${chainIds.join(', ')}`],
    ),
    ...policy.tokens.flatMap(({ chainId }, i) => unknown(`policy.tokens.${i}.chainId`, chainId)),
    ...policy.contracts.flatMap(({ chainId }, i) => unknown(`policy.contracts.${i}.chainId`, chainId)),
    ...routers,
    ...(policy.maxTradeUsd.gt(policy.maxDailyUsd) ? ['policy.maxTradeUsd: a trade may not be worth more than a day'] : []),
  ]
}

/** A name must select one wallet for each user and chain. */
function sharedRef(wallet: WalletConfig, other: WalletConfig): readonly string[] {
  if (wallet.ref !== other.ref || !wallet.chainIds.some((id) => other.chainIds.includes(id))) return []
  const { users } = wallet
  const shares = users === '*' || other.users === '*' || users.some((user) => (other.users as readonly unknown[]).includes(user))
  return shares ? [`${wallet.ref} means another wallet to the same user already`] : []
}
