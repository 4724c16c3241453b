import type { Clock } from '@keelson/primitives'
import { CLOSING_MS, describeHolder, findListener, type Listener, npmScript, portState } from '@keelson/runtime'
import { DevnetError } from '../devnet-error.ts'
import type { RunningNetwork } from '../supervisor/running-networks.ts'
import { type DevnetPorts, devnetPorts, HIGHEST_PORT_OFFSET, LEAST_PORT_OFFSET, namedPorts } from './ports.ts'

export interface FreePortsContext {
  readonly clock: Clock
  readonly networks: readonly RunningNetwork[]
  readonly say: (line: string) => void
  readonly signal?: AbortSignal
}

interface Taken {
  readonly name: string
  readonly port: number
  readonly holder: Listener
}

const POLL_MS = 500

/**
 * Waits while ports are in TIME-WAIT. Throws DevnetError `node/devnet` for ports in use, `node/usage` if the machine lacks the
 * address.
 */
export async function assertPortsFree(host: string, ports: DevnetPorts, context: FreePortsContext): Promise<void> {
  const { clock, say, signal } = context
  const deadlineMs = clock.nowMs() + CLOSING_MS
  for (let round = 0; ; round++) {
    const taken = await takenPorts(host, ports)
    if (taken.length === 0) return
    if (taken.some(({ holder }) => holder.use !== 'closing') || clock.nowMs() >= deadlineMs) throw await collision(host, taken, context)
    if (round === 0) {
      const which = taken.map(({ name, port }) => `${port} (${name})`).join(', ')
      say(
        `waiting up to ${CLOSING_MS / 1000} s for ${which}: a connection with that local port has just ended, and the system keeps the port that long`,
      )
    }
    await clock.sleep(POLL_MS, signal)
  }
}

async function takenPorts(host: string, ports: DevnetPorts): Promise<readonly Taken[]> {
  const taken: Taken[] = []
  for (const [name, port] of namedPorts(ports)) {
    if (await isFree(host, port)) continue
    const holder = await findListener(host, port)
    if (holder !== null) taken.push({ name, port, holder })
  }
  return taken
}

async function isFree(host: string, port: number): Promise<boolean> {
  try {
    return (await portState(host, port)).kind === 'free'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new DevnetError('node/usage', `cannot listen on ${host}:${port} (${code}): --host must name an address of this machine`)
  }
}

async function collision(host: string, taken: readonly Taken[], { networks }: FreePortsContext): Promise<DevnetError> {
  const byHolder = new Map<string, string[]>()
  const clashing = new Map<string, RunningNetwork>()
  for (const { name, port, holder } of taken) {
    const network = networks.find(({ instance }) => portsOf(instance.portOffset).has(port))
    if (network !== undefined) clashing.set(network.folder, network)
    const who = network === undefined ? holderName(holder) : `the development network in ${network.folder}`
    byHolder.set(who, [...(byHolder.get(who) ?? []), `${port} (${name})`])
  }
  const groups = [...byHolder].map(([who, uses]) => `${uses.join(', ')} by ${who}`)
  const stop =
    clashing.size === 0
      ? 'stop what listens there'
      : `stop ${[...clashing.keys()].map((folder) => `that one with "${npmScript('stop', folder)}"`).join(' and ')}`
  const free = await freeOffset(host, networks)
  const move = free === null ? 'move all ports with --port-offset N' : `move all ports with --port-offset ${free}, which is free`
  return new DevnetError('node/devnet', `${taken.length === 1 ? 'port is' : 'ports are'} in use: ${groups.join('; ')}; ${stop}, or ${move}`)
}

function holderName(holder: Listener): string {
  return holder.use === 'connection' ? `a connection of ${describeHolder(holder)}` : describeHolder(holder)
}

/** Assumes two sequencers: a starting network has not yet recorded its second one. */
function portsOf(offset: number): ReadonlySet<number> {
  return new Set(namedPorts(devnetPorts(offset, 2)).map(([, port]) => port))
}

async function freeOffset(host: string, networks: readonly RunningNetwork[]): Promise<number | null> {
  for (let offset = LEAST_PORT_OFFSET; offset <= HIGHEST_PORT_OFFSET; offset += LEAST_PORT_OFFSET) {
    if (networks.some(({ instance }) => Math.abs(instance.portOffset - offset) < LEAST_PORT_OFFSET)) continue
    const states = await Promise.all([...portsOf(offset)].map((port) => portState(host, port)))
    if (states.every(({ kind }) => kind === 'free')) return offset
  }
  return null
}
