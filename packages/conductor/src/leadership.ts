import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { describe, standingOf } from './health.ts'
import { LeaderStart } from './leader-start.ts'
import type { ConductorOptions } from './options.ts'
import type { Candidate, Ledger, Observed } from './ports.ts'
import type { Roster } from './roster.ts'
import type { RunInTurn } from './turns.ts'
import { Vacancy } from './vacancy.ts'
import type { WaitingLog } from './waiting-log.ts'

export interface LeadershipDependencies {
  /** The candidates that this conductor starts and stops. */
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

/** Moves leadership among candidates and starts the leader on the recorded head. */
export class Leadership {
  readonly #options: ConductorOptions
  readonly #deps: LeadershipDependencies
  readonly #transfers: ReturnType<Metrics['counter']>
  /** Until then the leader keeps its lease without recording a block. */
  #leaseUntilMs: number
  #lastRecordMs = Number.NEGATIVE_INFINITY
  #term: number
  #termSinceMs: number
  /** The last candidate of another conductor that was granted a term from here. */
  #handedOver: { readonly to: Observed; readonly term: number } | null = null
  readonly #starting: LeaderStart
  readonly #vacancy: Vacancy

  constructor(options: ConductorOptions, deps: LeadershipDependencies) {
    this.#options = options
    this.#deps = deps
    this.#term = deps.ledger.lease?.term ?? 0
    this.#termSinceMs = deps.clock.monotonicMs()
    this.#leaseUntilMs = this.#termSinceMs + options.unsafeIntervalMs
    this.#starting = new LeaderStart(options, deps)
    this.#vacancy = new Vacancy(deps.candidates, deps.roster, deps.clock)
    this.#transfers = deps.metrics.counter('leader_transfers_total', 'times that leadership moved, by why', ['why'])
  }

  get leader(): Observed | null {
    const { ledger, roster } = this.#deps
    const holder = ledger.lease?.holder ?? null
    return holder === null ? null : roster.find(holder)
  }

  /** Null when no candidate of this conductor leads. */
  get ownLeader(): Candidate | null {
    const { leader } = this
    return leader === null ? null : this.#deps.roster.findOwn(leader.id)
  }

  /** Time since the last recorded block, or since the term began. */
  quietMs(): number {
    return this.#deps.clock.monotonicMs() - Math.max(this.#lastRecordMs, this.#termSinceMs)
  }

  /** Gives the leader of a new term its time, also when the answer to the grant was lost or another conductor granted it. */
  noteTerm(): void {
    const { ledger, roster } = this.#deps
    const term = ledger.lease?.term ?? 0
    if (term === this.#term) return
    this.#term = term
    // The other conductor gave the term back at once, because its candidate failed.
    if (this.#handedOver?.term === term - 1 && this.ownLeader !== null) roster.noteFailed(this.#handedOver.to)
    this.#termSinceMs = this.#deps.clock.monotonicMs()
    this.renew()
    this.#starting.forgetRefusal()
  }

  renew(): void {
    this.#leaseUntilMs = this.#deps.clock.monotonicMs() + this.#options.unsafeIntervalMs
  }

  noteRecorded(): void {
    this.#lastRecordMs = this.#deps.clock.monotonicMs()
    this.#leaseUntilMs = Math.max(this.#leaseUntilMs, this.#lastRecordMs + this.#options.unsafeIntervalMs)
  }

  /** Whether the leader builds on the record, so that no blocks were made without this conductor. */
  isAtWork(current: Observed): boolean {
    const { status } = this.#deps.roster.observed(current)
    return status?.active === true && standingOf(status, this.#deps.ledger).kind !== 'elsewhere'
  }

  /** Returns whether leadership moved; another conductor may have moved it first. */
  async grant(to: Observed, why: string, text: string): Promise<boolean> {
    const { ledger, inTurn, log } = this.#deps
    const from = ledger.lease?.holder ?? null
    const moved = await inTurn(() => ledger.grant(to.id, ledger.lease?.term ?? 0))
    if (!moved) return false
    this.noteTerm()
    if (this.#deps.roster.findOwn(to.id) === null) this.#handedOver = { to, term: this.#term }
    this.#transfers.inc(1, { why })
    const head = ledger.head === null ? null : describe(ledger.head)
    log.info('leadership is granted', { to: to.id, from, why: text, term: ledger.lease?.term ?? 0, head })
    return true
  }

  /** Ignores failures, because a candidate without the lease cannot record blocks. */
  async stop(candidate: Candidate): Promise<void> {
    await candidate
      .stop()
      .catch((error: unknown) => this.#deps.log.debug('a candidate was not stopped', { candidate: candidate.id, reason: messageOf(error) }))
  }

  /** Stops the leader of this conductor, unless an operator overrode it. */
  async stopLeader(): Promise<void> {
    const { ownLeader } = this
    if (ownLeader === null) return
    const { status } = this.#deps.roster.observed(ownLeader)
    if (status?.active === true && !status.overridden) await this.stop(ownLeader)
  }

  /** Leaves the leadership where it is, with no sequencer of this conductor active unless an operator overrode it. */
  async suspend(): Promise<void> {
    this.renew()
    this.#vacancy.over()
    await this.stopStrays()
    await this.stopLeader()
  }

  /** Stops candidates that seal without leading, unless an operator overrode them. */
  async stopStrays(): Promise<void> {
    const { candidates, roster } = this.#deps
    const { ownLeader } = this
    const strays = candidates.filter((candidate) => {
      const { status } = roster.observed(candidate)
      return candidate !== ownLeader && status?.active === true && !status.overridden
    })
    for (const { id } of strays) this.#deps.log.warn('a sequencer that does not lead is being stopped', { candidate: id })
    await Promise.all(strays.map((candidate) => this.stop(candidate)))
  }

  async conduct(): Promise<void> {
    const { ledger, roster, waiting } = this.#deps
    const { leader, ownLeader: current } = this
    await this.stopStrays()
    if (leader === null) return this.#fillVacancy()
    this.#vacancy.over()
    if (current === null) {
      waiting.clear()
      this.renew()
      return
    }
    const reason = this.#reasonToMove(current)
    if (reason !== null) {
      roster.noteFailed(current)
      const next = roster.findBest(current)
      if (next !== null) {
        if (!(await this.grant(next, 'failed', reason))) return
        await Promise.all([this.stop(current), this.#start(roster.findOwn(next.id))])
        return
      }
      this.#logWaiting()
    } else {
      waiting.clear()
      if (await this.#yield(current)) return
    }
    if (ledger.lease?.holder === current.id) await this.#start(current)
  }

  async #fillVacancy(): Promise<void> {
    const next = this.#vacancy.choose()
    if (next === null && this.#deps.roster.findBest(null) === null) this.#logWaiting()
    if (next !== null) await this.grant(next, 'first', 'nobody led')
  }

  /** Returns whether leadership moved. */
  async #yield(current: Candidate): Promise<boolean> {
    const { roster } = this.#deps
    const reason = this.#reasonToYield(current)
    const other = reason === null ? null : roster.findBest(current)
    if (reason === null || other === null || roster.failedLately(other)) return false
    roster.noteFailed(current)
    await this.stop(current)
    return this.grant(other, 'unhealthy', reason)
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
    return status.active ? roster.faultOf(current) : (roster.reasonAgainst(current) ?? this.#starting.refusal)
  }

  /** Null for a candidate of another conductor, which starts it itself. */
  async #start(current: Candidate | null): Promise<void> {
    const { lease } = this.#deps.ledger
    if (current === null || lease === null) return
    if (await this.#starting.start(current, lease, this.quietMs())) this.renew()
  }

  #logWaiting(): void {
    const { roster, log, waiting } = this.#deps
    const reasons = roster.all
      .map((candidate) => `${candidate.id}: ${roster.reasonAgainst(candidate) ?? 'it leads, and records no block'}`)
      .join('; ')
    const remedy = 'see the log of each; leadership moves when one of them can lead'
    if (this.leader !== null) waiting.log(reasons, () => log.warn('no other candidate can lead', { reasons, remedy }))
    else waiting.log('nobody', () => log.warn('no candidate can lead yet', { reasons, remedy: 'one of them leads as soon as it can' }))
  }
}
