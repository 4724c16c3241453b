/** Counts the faults of peers and bans those with too many. */
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { type BanList, createScoreBans, type ScoreBans } from '@keelson/runtime/peers'
import { BAN_BELOW, createFaultScores, type FaultKind, type FaultScores } from './fault-scores.ts'
import type { PeerSet } from './peer-set.ts'

export interface FaultBansDependencies {
  readonly set: Pick<PeerSet, 'peers' | 'drop'>
  readonly bans: BanList
  readonly isExempt: (id: string) => boolean
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

/** An address loses its place when this many of its peers are banned within an hour. */
const BANNING = { threshold: BAN_BELOW, durationMs: 3_600_000, addressAfterPeers: 3 }

export class FaultBans {
  readonly #scores: FaultScores
  readonly #bans: ScoreBans
  readonly #log: Logger
  readonly #count: ReturnType<Metrics['counter']> | undefined

  constructor({ set, bans, isExempt, clock, log, metrics }: FaultBansDependencies) {
    const scores = createFaultScores(clock)
    this.#scores = scores
    this.#log = log
    this.#count = metrics?.counter('p2p_faults_total', 'faults of peers', ['kind'])
    this.#bans = createScoreBans(BANNING, {
      host: () => ({
        connections: () => set.peers().map(({ id, ip, direction }) => ({ peerId: id, ip, direction })),
        disconnect: (id) => set.drop(id, 'banned'),
      }),
      score: scores.score,
      causeOf: scores.causeOf,
      bans,
      isExempt,
      clock,
      log,
      ...(metrics === undefined ? {} : { metrics }),
    })
  }

  /** May ban the peer and end its connection. */
  note(id: string, kind: FaultKind, reason: string): void {
    this.#count?.inc(1, { kind })
    this.#scores.note(id, kind, reason)
    this.#bans.look(id).catch((error: unknown) => this.#log.warn('a ban could not be stored', { peer: id, reason: messageOf(error) }))
  }

  score(id: string): number {
    return this.#scores.score(id)
  }
}
