/** Brings the leader to the recorded head and starts it there. */
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import { describe, standingOf } from './health.ts'
import type { ConductorOptions } from './options.ts'
import type { Candidate, Lease, Ledger, TimedBlock } from './ports.ts'
import type { Roster } from './roster.ts'

export interface LeaderStartDependencies {
  readonly ledger: Ledger
  readonly roster: Roster
  readonly clock: Clock
  readonly log: Logger
}

const MAX_LOGGED = 20
const POSTED_AT_ONCE = 64

export class LeaderStart {
  readonly #options: Pick<ConductorOptions, 'blockTimeSec'>
  readonly #deps: LeaderStartDependencies
  #refusal: string | null = null
  readonly #loggedRefusals = new Set<string>()

  constructor(options: Pick<ConductorOptions, 'blockTimeSec'>, deps: LeaderStartDependencies) {
    this.#options = options
    this.#deps = deps
  }

  /** Why the leader did not start when it was last asked. */
  get refusal(): string | null {
    return this.#refusal
  }

  forgetRefusal(): void {
    this.#refusal = null
  }

  /** `quietMs` is the time since the last recorded block. Returns whether the leader started. */
  async start(current: Candidate, lease: Lease, quietMs: number): Promise<boolean> {
    const { ledger, roster, log } = this.#deps
    const { status } = roster.observed(current)
    const { head } = ledger
    if (status === null || head === null) return false
    const standing = standingOf(status, ledger)
    try {
      // An active leader may still be inserting the block that it has just recorded.
      if (standing.kind === 'behind' && (!status.active || quietMs > this.#options.blockTimeSec * 1_000))
        await this.#postMissing(current, status.unsafe)
      if (standing.kind !== 'at-head' || status.active) return false
      this.#refusal = null
      await current.start(head.hash)
      this.#loggedRefusals.clear()
      log.info('the leader starts', { leader: current.id, term: lease.term, on: describe(head) })
      return true
    } catch (error) {
      this.#refusal = messageOf(error)
      const key = `${current.id}: ${this.#refusal.replace(/\d+/g, '')}`
      if (this.#loggedRefusals.has(key) || this.#loggedRefusals.size >= MAX_LOGGED) return false
      this.#loggedRefusals.add(key)
      const remedy = 'the conductor keeps trying'
      log.warn('the leader does not start', { leader: current.id, term: lease.term, reason: this.#refusal, remedy })
      return false
    }
  }

  async #postMissing(candidate: Candidate, unsafe: TimedBlock): Promise<void> {
    const { ledger, log } = this.#deps
    const last = Math.min(ledger.head?.number ?? 0, unsafe.number + POSTED_AT_ONCE)
    log.info('posting recorded blocks to a candidate that lacks them', { candidate: candidate.id, from: unsafe.number + 1, to: last })
    for (let number = unsafe.number + 1; number <= last; number++) {
      const envelope = await ledger.payloadAt(number)
      if (envelope === null) return
      await candidate.postUnsafePayload(envelope)
    }
  }
}
