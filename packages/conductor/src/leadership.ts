import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { describe, standingOf } from './health.ts'
import type { Lease, Ledger } from './ledger.ts'
import type { ConductorOptions } from './options.ts'
import type { Candidate, TimedBlock } from './ports.ts'
import type { Roster } from './roster.ts'
import type { RunInTurn } from './turns.ts'
import type { WaitingLog } from './waiting-log.ts'

export interface LeadershipDependencies {
  readonly candidates: readonly Candidate[]
  readonly ledger: Ledger
  readonly roster: Roster
  /** Serializes all changes of the ledger. */
  readonly inTurn: RunInTurn
  readonly waiting: WaitingLog
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

/** Consecutive failed looks after which a leader that records nothing counts as dead. */
const SILENT_LOOKS = 2
const MAX_LOGGED = 20
const POSTED_AT_ONCE = 64

/** Moves leadership among candidates and starts the leader on the recorded head. */
export class Leadership {
  readonly #options: ConductorOptions
  readonly #deps: LeadershipDependencies
  readonly #transfers: ReturnType<Metrics['counter']>
  /** Until then the leader keeps its lease without recording a block. */
  #leaseUntilMs: number
  #lastRecordMs = Number.NEGATIVE_INFINITY
  #refusal: string | null = null
  readonly #loggedRefusals = new Set<string>()

  constructor(options: ConductorOptions, deps: LeadershipDependencies) {
    this.#options = options
    this.#deps = deps
    this.#leaseUntilMs = deps.clock.monotonicMs() + options.unsafeIntervalMs
    this.#transfers = deps.metrics.counter('leader_transfers_total', 'times that leadership moved, by why', ['why'])
  }

  get leader(): Candidate | null {
    const { ledger, roster } = this.#deps
    return ledger.lease === null ? null : roster.find(ledger.lease.holder)
  }

  quietMs(): number {
    return this.#deps.clock.monotonicMs() - this.#lastRecordMs
  }

  renew(): void {
    this.#leaseUntilMs = this.#deps.clock.monotonicMs() + this.#options.unsafeIntervalMs
  }

  noteRecorded(): void {
    this.#lastRecordMs = this.#deps.clock.monotonicMs()
    this.#leaseUntilMs = Math.max(this.#leaseUntilMs, this.#lastRecordMs + this.#options.unsafeIntervalMs)
  }

  /** Whether the leader builds on the record, so that no blocks were made without this conductor. */
  isAtWork(current: Candidate): boolean {
    const { status } = this.#deps.roster.observed(current)
    return status?.active === true && standingOf(status, this.#deps.ledger).kind !== 'elsewhere'
  }

  async grant(to: Candidate, why: string, text: string): Promise<void> {
    const { ledger, inTurn, log } = this.#deps
    const before = ledger.lease?.holder ?? null
    const lease = await inTurn(() => ledger.grant(to.id))
    this.renew()
    this.#refusal = null
    this.#transfers.inc(1, { why })
    const head = ledger.head === null ? null : describe(ledger.head)
    log.info('leadership is granted', { to: to.id, from: before, why: text, term: lease.term, head })
  }

  /** Ignores failures, because a candidate without the lease cannot record blocks. */
  async stop(candidate: Candidate): Promise<void> {
    await candidate
      .stop()
      .catch((error: unknown) => this.#deps.log.debug('a candidate was not stopped', { candidate: candidate.id, reason: messageOf(error) }))
  }

  async conduct(): Promise<void> {
    const { candidates, ledger, roster, waiting } = this.#deps
    const current = this.leader
    const { lease } = ledger
    const strays = candidates.filter((candidate) => candidate !== current && roster.observed(candidate).status?.active === true)
    await Promise.all(strays.map((candidate) => this.stop(candidate)))
    if (current === null || lease === null) {
      const first = roster.findBest(null)
      if (first !== null) await this.grant(first, 'first', 'nobody led yet')
      else this.#logWaiting()
      return
    }
    const reason = this.#reasonToMove(current)
    if (reason !== null) {
      roster.noteFailed(current)
      const next = roster.findBest(current)
      if (next !== null) {
        await this.grant(next, 'failed', reason)
        await Promise.all([this.stop(current), this.#start(next, ledger.lease as Lease)])
        return
      }
      this.#logWaiting()
    } else {
      waiting.clear()
      if (await this.#yield(current)) return
    }
    await this.#start(current, lease)
  }

  /** Returns whether leadership moved. */
  async #yield(current: Candidate): Promise<boolean> {
    const { roster } = this.#deps
    const reason = this.#reasonToYield(current)
    const other = reason === null ? null : roster.findBest(current)
    if (reason === null || other === null || roster.failedLately(other)) return false
    roster.noteFailed(current)
    await this.stop(current)
    await this.grant(other, 'unhealthy', reason)
    return true
  }

  #reasonToMove(current: Candidate): string | null {
    const { blockTimeSec, healthIntervalMs, unsafeIntervalMs } = this.#options
    const { status, reason, silentLooks } = this.#deps.roster.observed(current)
    const quiet = this.quietMs() > blockTimeSec * 1_000 + healthIntervalMs
    if (status === null && silentLooks >= SILENT_LOOKS && quiet) return `it does not answer: ${reason}`
    if (this.#deps.clock.monotonicMs() > this.#leaseUntilMs) return `it has recorded no block for ${unsafeIntervalMs / 1000} s`
    return null
  }

  #reasonToYield(current: Candidate): string | null {
    const { roster } = this.#deps
    const { status } = roster.observed(current)
    if (status === null) return null
    return status.active ? roster.faultOf(current) : (roster.reasonAgainst(current) ?? this.#refusal)
  }

  async #start(current: Candidate, lease: Lease): Promise<void> {
    const { ledger, roster, log } = this.#deps
    const { status } = roster.observed(current)
    const { head } = ledger
    if (status === null || head === null) return
    const standing = standingOf(status, ledger)
    try {
      // An active leader may still be inserting the block that it has just recorded.
      if (standing.kind === 'behind' && (!status.active || this.quietMs() > this.#options.blockTimeSec * 1_000))
        await this.#postMissing(current, status.unsafe)
      if (standing.kind !== 'at-head' || status.active) return
      this.#refusal = null
      await current.start(head.hash)
      this.#loggedRefusals.clear()
      this.renew()
      log.info('the leader starts', { leader: current.id, term: lease.term, on: describe(head) })
    } catch (error) {
      this.#refusal = messageOf(error)
      const key = `${current.id}: ${this.#refusal.replace(/\d+/g, '')}`
      if (this.#loggedRefusals.has(key) || this.#loggedRefusals.size >= MAX_LOGGED) return
      this.#loggedRefusals.add(key)
      const remedy = 'the conductor keeps trying'
      log.warn('the leader does not start', { leader: current.id, term: lease.term, reason: this.#refusal, remedy })
    }
  }

  async #postMissing(candidate: Candidate, unsafe: TimedBlock): Promise<void> {
    const { ledger, log } = this.#deps
    const last = Math.min(ledger.head?.number ?? 0, unsafe.number + POSTED_AT_ONCE)
    log.info('posting recorded blocks to a candidate that lacks them', { candidate: candidate.id, from: unsafe.number + 1, to: last })
    for (let number = unsafe.number + 1; number <= last; number++) {
      const envelope = ledger.payloadAt(number)
      if (envelope === null) return
      await candidate.postUnsafePayload(envelope)
    }
  }

  #logWaiting(): void {
    const { candidates, roster, log, waiting } = this.#deps
    const reasons = candidates
      .map((candidate) => `${candidate.id}: ${roster.reasonAgainst(candidate) ?? 'it leads, and records no block'}`)
      .join('; ')
    const remedy = 'see the log of each; leadership moves when one of them can lead'
    if (this.leader !== null) waiting.log(reasons, () => log.warn('no other candidate can lead', { reasons, remedy }))
    else waiting.log('nobody', () => log.warn('no candidate can lead yet', { reasons, remedy: 'one of them leads as soon as it can' }))
  }
}
