/** Dials static nodes always, and found ones while there are fewer dialled peers than their share. */
import { isIP } from 'node:net'
import { type Clock, type Logger, messageOf, NodeError, type Random } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { Candidates } from '@keelson/runtime/peers'
import { type NodeAddress, parseNode, showEnode } from './enode.ts'
import type { KnownNodes } from './known-nodes.ts'
import type { NamedNodes } from './named-nodes.ts'
import type { PeerSet, Place } from './peer-set.ts'

/**
 * Opens a session and joins the place, which is left when the session ends. Rejects if that fails; a coded error, or the reason of a
 * disconnect in its details, becomes a label of the metric.
 */
export type Dial = (node: NodeAddress, place: Place, signal: AbortSignal) => Promise<void>

export interface DialSchedulerDependencies {
  readonly dial: Dial
  readonly set: Pick<PeerSet, 'outbound' | 'refusesDial' | 'has'>
  readonly named: Pick<NamedNodes, 'fixed' | 'isExempt'>
  readonly candidates: Candidates
  readonly known: Pick<KnownNodes, 'reached' | 'forget'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface DialScheduler {
  /** Begins the dials that are due; they continue afterwards. */
  step(): void
  /** Ends when no dial is under way. */
  stop(): Promise<void>
}

const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 60_000
const MAX_DIALS = 16

export function createDialScheduler(deps: DialSchedulerDependencies): DialScheduler {
  const { set, named, candidates, clock, log } = deps
  const dials = deps.metrics?.counter('p2p_dials_total', 'dialled nodes, by outcome', ['kind', 'outcome'])
  const underWay = new Map<string, Promise<void>>()
  const pauses = new Map<string, { readonly failures: number; readonly untilMs: number }>()
  /** The reason logged last for each static node, which is not repeated. */
  const logged = new Map<string, string>()
  const stopping = new AbortController()

  /** Pauses differ by up to a quarter, so that two nodes that dial each other do not collide for good. */
  function pause(id: string, failed: boolean): void {
    const failures = failed ? (pauses.get(id)?.failures ?? 0) + 1 : 0
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, failures - 1), LONGEST_PAUSE_MS)
    pauses.set(id, { failures, untilMs: clock.nowMs() + ms * (0.75 + 0.5 * deps.random.next()) })
  }

  function logFailure(node: NodeAddress, kind: 'static' | 'found', failure: unknown): void {
    const fields = { enode: showEnode(node), reason: messageOf(failure) }
    if (kind === 'found' || logged.get(node.id) === fields.reason) {
      log.debug('a node could not be dialled', fields)
      return
    }
    logged.set(node.id, fields.reason)
    log.warn('a static peer cannot be connected; it is dialled again', fields)
  }

  async function dial(node: NodeAddress, kind: 'static' | 'found'): Promise<void> {
    const admission = set.outbound(node.id, ipOf(node))
    if (admission.kind === 'refused') return
    const failure = await deps.dial(node, admission.place, stopping.signal).then(
      () => null,
      (error: unknown) => error ?? 'failed',
    )
    if (failure !== null) admission.place.leave()
    if (stopping.signal.aborted) return
    dials?.inc(1, { kind, outcome: failure === null ? 'connected' : outcomeOf(failure) })
    if (kind === 'static') pause(node.id, failure !== null)
    else candidates.dialled(node.id, failure === null)
    if (failure === null) {
      logged.delete(node.id)
      deps.known.reached(node)
      return
    }
    if (kind === 'found' && !candidates.has(node.id)) deps.known.forget(node.id)
    logFailure(node, kind, failure)
  }

  function begin(node: NodeAddress, kind: 'static' | 'found'): void {
    const done = dial(node, kind).finally(() => underWay.delete(node.id))
    underWay.set(node.id, done)
  }

  return {
    step() {
      const nowMs = clock.nowMs()
      for (const kept of [pauses, logged]) for (const id of kept.keys()) if (!named.fixed.has(id)) kept.delete(id)
      for (const node of named.fixed.values()) {
        if (underWay.size >= MAX_DIALS) return
        const isDue = nowMs >= (pauses.get(node.id)?.untilMs ?? 0)
        if (isDue && !underWay.has(node.id) && !set.has(node.id)) begin(node, 'static')
      }
      const isWanted = ({ peerId, ip }: { readonly peerId: string; readonly ip: string | null }) =>
        !named.fixed.has(peerId) && !underWay.has(peerId) && set.refusesDial(peerId, ip) === null
      for (const { address } of candidates.due(MAX_DIALS - underWay.size, isWanted)) {
        const parsed = parseNode(address)
        if (parsed.kind === 'node' && set.refusesDial(parsed.node.id, ipOf(parsed.node)) === null) begin(parsed.node, 'found')
      }
    },
    async stop() {
      stopping.abort()
      await Promise.allSettled(underWay.values())
    },
  }
}

function outcomeOf(failure: unknown): string {
  if (!(failure instanceof NodeError)) return 'unreachable'
  const { reason } = failure.details
  return typeof reason === 'string' ? reason : failure.code
}

export function ipOf({ host }: NodeAddress): string | null {
  return isIP(host) === 0 ? null : host
}
