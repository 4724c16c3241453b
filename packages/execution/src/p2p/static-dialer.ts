/** Keeps a connection to each listed node. */
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import { backoffMs, createPoller } from '@keelson/runtime'
import { enodeUrl, type NodeAddress, nodeName } from './enode.ts'

export interface StaticDialerDependencies {
  readonly clock: Clock
  readonly log: Logger
  isConnected(id: Uint8Array): boolean
  /** Resolves when the peer has joined. */
  dial(node: NodeAddress, signal: AbortSignal): Promise<void>
}

export interface StaticDialer {
  start(): void
  stop(): Promise<void>
  add(node: NodeAddress): void
  remove(id: Uint8Array): void
}

interface Listed {
  readonly node: NodeAddress
  failures: number
  nextMs: number
  dialing: boolean
}

const LOOK_INTERVAL_MS = 1_000
const BACKOFF = { firstMs: 2_000, longestMs: 60_000 }

export function createStaticDialer(nodes: readonly NodeAddress[], deps: StaticDialerDependencies): StaticDialer {
  const { clock, log } = deps
  const listed = new Map<string, Listed>()
  const add = (node: NodeAddress) => void listed.set(nodeName(node.id), { node, failures: 0, nextMs: 0, dialing: false })
  for (const node of nodes) add(node)

  const dial = async (entry: Listed, signal: AbortSignal) => {
    entry.dialing = true
    try {
      await deps.dial(entry.node, signal)
      entry.failures = 0
    } catch (error) {
      if (signal.aborted) return
      log.debug('a static peer cannot be reached', { peer: enodeUrl(entry.node), error: messageOf(error) })
      entry.failures++
    } finally {
      entry.dialing = false
      entry.nextMs = clock.monotonicMs() + backoffMs(BACKOFF, Math.max(0, entry.failures - 1))
    }
  }
  const poller = createPoller(
    async (signal) => {
      for (const entry of listed.values()) {
        const due = !entry.dialing && entry.nextMs <= clock.monotonicMs() && !deps.isConnected(entry.node.id)
        if (due) void dial(entry, signal)
      }
    },
    { clock, intervalMs: LOOK_INTERVAL_MS },
  )
  return {
    start: poller.start,
    stop: poller.stop,
    add,
    remove: (id) => void listed.delete(nodeName(id)),
  }
}
