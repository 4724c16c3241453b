/**
 * Bans peers with low scores, dials discovered nodes and pings peers, once a second. specs:
 * protocol/rollup-node-p2p.md#peer-management
 */
import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { BanList, Candidate, Candidates, ScoreBans } from '@keelson/runtime/peers'
import { messageOf } from '../../errors.ts'
import type { GossipHost } from '../host/libp2p-host.ts'
import type { PeerBook } from './peer-book.ts'

export interface PeerKeeperOptions {
  readonly low: number
  readonly high: number
}

export interface PeerKeeperDependencies {
  readonly host: Pick<GossipHost, 'connections' | 'connect' | 'ping'>
  readonly scoreBans: ScoreBans
  readonly bans: Pick<BanList, 'forgetExpired'>
  readonly refusesDial: (peerId: string, ip: string | null) => string | null
  readonly candidates: Candidates
  readonly book: PeerBook
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface PeerKeeper {
  /** Takes one step; its dials and pings continue afterwards. */
  step(): Promise<void>
  run(signal: AbortSignal): Promise<void>
}

const STEP_MS = 1_000
const PING_EVERY_MS = 15_000
const PING_TIMEOUT_MS = 5_000
const DIALS_AT_ONCE = 4
const FORGET_EVERY_STEPS = 60

export function createPeerKeeper(options: PeerKeeperOptions, deps: PeerKeeperDependencies): PeerKeeper {
  const { host, bans, candidates, book, clock, log, metrics } = deps
  const dials = metrics?.counter('p2p_dials_total', 'found nodes that were dialled, by result', ['outcome'])
  const underWay = new Map<string, Promise<void>>()
  const pingedMs = new Map<string, number>()
  const stopping = new AbortController()
  let steps = 0

  function track(name: string, work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => log.debug('peer upkeep failed', { what: name, reason: messageOf(error) }))
      .finally(() => underWay.delete(name))
    underWay.set(name, done)
  }

  function dialFound(): void {
    const connected = new Map(host.connections().map(({ peerId, direction }) => [peerId, direction]))
    const dialling = [...underWay.keys()].filter((name) => name.startsWith('dial ')).length
    const outbound = [...connected.values()].filter((direction) => direction === 'outbound').length
    // keep some outbound peers, which we chose, however many connect inbound
    const wanted = Math.max(options.low - connected.size, Math.min(Math.floor(options.low / 2) - outbound, options.high - connected.size))
    const room = Math.min(wanted, DIALS_AT_ONCE) - dialling
    if (room <= 0) return
    const isWanted = ({ peerId, ip }: Candidate) =>
      !connected.has(peerId) && !underWay.has(`dial ${peerId}`) && deps.refusesDial(peerId, ip) === null
    for (const { peerId, address } of candidates.due(room, isWanted)) {
      const dial = async () => {
        const failure = await host.connect(address, stopping.signal)
        candidates.dialled(peerId, failure === null)
        dials?.inc(1, { outcome: failure === null ? 'connected' : 'failed' })
        if (failure !== null) log.debug('a found node could not be dialled', { peer: peerId, address, reason: failure })
      }
      track(`dial ${peerId}`, dial())
    }
  }

  function pingNext(): void {
    const nowMs = clock.monotonicMs()
    const connected = new Set(host.connections().map(({ peerId }) => peerId))
    for (const peerId of pingedMs.keys()) if (!connected.has(peerId)) pingedMs.delete(peerId)
    for (const peerId of connected) {
      if (nowMs - (pingedMs.get(peerId) ?? Number.NEGATIVE_INFINITY) < PING_EVERY_MS) continue
      pingedMs.set(peerId, nowMs)
      const ping = async () => {
        const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(PING_TIMEOUT_MS)])
        book.roundTrip(peerId, await host.ping(peerId, signal))
      }
      track(`ping ${peerId}`, ping())
    }
  }

  async function step(): Promise<void> {
    for (const { peerId } of host.connections()) await deps.scoreBans.look(peerId)
    dialFound()
    pingNext()
    if (steps++ % FORGET_EVERY_STEPS === 0) await bans.forgetExpired()
  }

  return {
    step,
    async run(signal) {
      signal.addEventListener('abort', () => stopping.abort(), { once: true })
      while (!signal.aborted) {
        await step().catch((error: unknown) => log.warn('looking after the peers failed', { reason: messageOf(error) }))
        await clock.sleep(STEP_MS, signal).catch(() => undefined)
      }
      await Promise.all(underWay.values())
    },
  }
}
