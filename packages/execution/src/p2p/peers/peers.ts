/** Everything about who is a peer: places, dials, faults, bans and what is remembered on disk. */
import { type Clock, type Logger, messageOf, type Random } from '@keelson/primitives'
import type { HealthCheck, KeyValueStore, Metrics } from '@keelson/runtime'
import { createBanList, createCandidates, createRefusalLog } from '@keelson/runtime/peers'
import { PEER_BUCKETS } from '../../chain/keys.ts'
import { createDialScheduler, type Dial, ipOf } from './dial-scheduler.ts'
import { type NodeAddress, showEnode } from './enode.ts'
import { FaultBans } from './fault-bans.ts'
import type { FaultKind } from './fault-scores.ts'
import { createKnownNodes } from './known-nodes.ts'
import { createNamedNodes, type NamedNodes } from './named-nodes.ts'
import { peerCountCheck } from './peer-count-check.ts'
import { measurePeers } from './peer-gauges.ts'
import { PeerSet } from './peer-set.ts'
import { dialledShare, type PeersOptions } from './peers-options.ts'

export interface PeersDependencies {
  /** The own public key, in hex. */
  readonly ownId: string
  readonly store: KeyValueStore
  readonly dial: Dial
  readonly onChange: () => void
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface Peers {
  readonly set: Pick<PeerSet, 'inbound' | 'peers' | 'has'>
  readonly named: Pick<NamedNodes, 'isStatic' | 'isTrusted'>
  /** May ban the peer and end its connection. */
  fault(id: string, kind: FaultKind, reason: string): void
  score(id: string): number
  isBannedAddress(ip: string): boolean
  /** A node that discovery found. */
  found(node: NodeAddress): void
  readonly check: HealthCheck
  /** True while more nodes are wanted from discovery. */
  wantsNodes(): boolean
  addStatic(node: NodeAddress): boolean
  /** Ends the connection too. */
  removeStatic(id: string): Promise<boolean>
  addTrusted(id: string): boolean
  removeTrusted(id: string): boolean
  /** Reads bans and known nodes, then dials until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

const STEP_MS = 1_000
const STORE_EVERY_STEPS = 60

export function createPeers(options: PeersOptions, deps: PeersDependencies): Peers {
  const { store, clock, log, metrics } = deps
  const metered = metrics === undefined ? {} : { metrics }
  const named = createNamedNodes(options.staticNodes, options.trustedNodes)
  const bans = createBanList(store, PEER_BUCKETS.bans, clock)
  const candidates = createCandidates(clock)
  const known = createKnownNodes(store, Uint8Array.of(PEER_BUCKETS.knownNodes))
  const onRefusal = createRefusalLog(clock, log, metrics)
  const set = new PeerSet(options, { ownId: deps.ownId, named, bans, clock, onRefusal, onChange: deps.onChange })
  const faults = new FaultBans({ set, bans, isExempt: named.isExempt, clock, log, ...metered })
  const { dial, random } = deps
  const scheduler = createDialScheduler({ dial, set, named, candidates, known, clock, random, log, ...metered })
  if (metrics !== undefined) measurePeers(metrics, { maxPeers: options.maxPeers, set, bans, candidates })

  function offer(node: NodeAddress): void {
    if (node.id !== deps.ownId) candidates.add({ peerId: node.id, address: showEnode(node), ip: ipOf(node) })
  }

  /** Naming a node lifts its ban. */
  function forgive(id: string): void {
    bans.lift('peer', id).catch((error: unknown) => log.warn('a ban could not be lifted', { peer: id, reason: messageOf(error) }))
  }

  async function upkeep(step: number): Promise<void> {
    scheduler.step()
    if (step % STORE_EVERY_STEPS !== STORE_EVERY_STEPS - 1) return
    await bans.forgetExpired()
    await known.flush()
  }

  return {
    set,
    named,
    fault: (id, kind, reason) => faults.note(id, kind, reason),
    score: (id) => faults.score(id),
    isBannedAddress: (ip) => bans.findAddress(ip) !== null,
    found: offer,
    check: peerCountCheck(options.minPeers, () => ({ connected: set.peers().length, known: candidates.size + named.fixed.size })),
    wantsNodes() {
      const dialled = set.peers().filter(({ id, direction }) => direction === 'outbound' && !named.isExempt(id))
      return dialled.length < dialledShare(options.maxPeers)
    },
    addStatic(node) {
      forgive(node.id)
      return named.addStatic(node)
    },
    async removeStatic(id) {
      const removed = named.removeStatic(id)
      await set.drop(id, 'removed')
      return removed
    },
    addTrusted(id) {
      forgive(id)
      return named.addTrusted(id)
    },
    removeTrusted: named.removeTrusted,
    async run(signal) {
      await bans.load()
      for (const id of named.exemptIds()) forgive(id)
      for (const node of known.load()) offer(node)
      for (let step = 0; !signal.aborted; step++) {
        await upkeep(step).catch((error: unknown) => log.warn('looking after the peers failed', { reason: messageOf(error) }))
        await clock.sleep(STEP_MS, signal).catch(() => undefined)
      }
      await scheduler.stop()
      await known.flush()
    },
  }
}
