import type { TransactionManager } from '@keelson/client'
import { EPOCH_TURN_GAS, type StakingRefusal } from '@keelson/contracts'
import { type Address, type Clock, type Logger, messageOf, type Random } from '@keelson/primitives'
import { createTokenBucket, type Metrics, type TokenBucket } from '@keelson/runtime'
import { ValidatorError } from '../errors.ts'
import type { OffenceChain } from './offence-chain.ts'
import type { OffenceTask, ReportKind } from './offence-tasks.ts'

/**
 * `known`: the offence was on the chain. `lost`: another report was mined first. `too-late`: the evidence period is over.
 * `refused`: the contract does not accept the offence.
 */
export type ReportOutcome = 'reported' | 'known' | 'lost' | 'too-late' | 'refused'

export interface OffenceReporterOptions {
  readonly contract: Address
  readonly pollIntervalMs: number
  /** Longest random delay of a report; delays differ, so that one of several watchers reports first. */
  readonly maxDelayMs: number
  /** Further reports wait; the sender bounds the cost of each. */
  readonly maxReportsPerHour: number
}

export interface OffenceReporterDependencies {
  readonly chain: OffenceChain
  readonly sender: Pick<TransactionManager, 'send'>
  readonly stopping: AbortSignal
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

const KNOWN = new Set(['AlreadyReported', 'AlreadyNoted', 'AlreadyClosed', 'SlashedForGood'])
const TOO_LATE = new Set(['EvidenceTooOld', 'CheckpointNotServed'])
/** May succeed later: the chain has not reached the epoch or the first report, or was reorganized. */
const LATER = new Set(['EpochToCome', 'NotReported'])
const HOUR_SEC = 3_600
const MAX_DONE = 4_096
/** Longest wait after failures; waits double, starting at a poll interval. */
const LONGEST_BACK_OFF_MS = 10 * 60_000
/** Delay after which the chain is checked once more, because a reorg may remove a report. */
const CHECK_AGAIN_MS = 10 * 60_000

const DESCRIPTIONS: Readonly<Record<ReportKind, string>> = {
  'double-attestation': 'two attestations of a validator for one epoch',
  'invalid-attestation': 'an attestation to a block that is not of the chain',
  'double-block': 'two blocks of one key at one place',
  settlement: 'final penalty of a wrong attestation',
}

export class OffenceReporter {
  readonly #options: OffenceReporterOptions
  readonly #deps: OffenceReporterDependencies
  readonly #reports: ReturnType<Metrics['counter']>
  readonly #allowance: TokenBucket
  readonly #done = new Map<string, { readonly againMs: number; readonly outcome: ReportOutcome }>()
  readonly #dueMs = new Map<string, number>()
  readonly #failed = new Map<string, { readonly times: number; readonly againMs: number; readonly reason: string }>()
  #isOverLimit = false

  constructor(options: OffenceReporterOptions, deps: OffenceReporterDependencies) {
    this.#options = options
    this.#deps = deps
    this.#reports = deps.metrics.counter('offence_reports_total', 'offences handled, by kind and result', ['kind', 'outcome'])
    this.#allowance = createTokenBucket({ perSec: options.maxReportsPerHour / HOUR_SEC, burst: options.maxReportsPerHour }, deps.clock)
  }

  begin(tasks: readonly OffenceTask[]): void {
    this.#isOverLimit = false
    const names = new Set(tasks.map(({ name }) => name))
    for (const states of [this.#dueMs, this.#failed]) for (const name of states.keys()) if (!names.has(name)) states.delete(name)
  }

  hasOutcome(name: string): boolean {
    return this.#done.has(name)
  }

  isPutOff(name: string): boolean {
    const failure = this.#failed.get(name)
    return failure !== undefined && this.#deps.clock.nowMs() < failure.againMs
  }

  /** Checks a finished task once more, because a reorg may have removed the report. */
  async isDone({ name, data, fields }: OffenceTask): Promise<boolean> {
    const entry = this.#done.get(name)
    if (entry === undefined || this.#deps.clock.nowMs() < entry.againMs) return entry !== undefined
    if ((await this.#deps.chain.refusalOf(data)) !== null) {
      this.#done.set(name, { ...entry, againMs: Number.POSITIVE_INFINITY })
      return true
    }
    this.#deps.log.warn('a report is no longer on the chain; reporting again', fields)
    this.#done.delete(name)
    return false
  }

  /** Submits the report if it is due. Returns null when there is no outcome yet. */
  async attend(task: OffenceTask): Promise<ReportOutcome | null> {
    const { chain, clock, random, sender, stopping } = this.#deps
    const refusal = await chain.refusalOf(task.data)
    if (refusal !== null) return LATER.has(refusal.name) ? null : this.#settle(task, refusal)
    const nowMs = clock.nowMs()
    // The second report of a pair follows at once when we made the first, which has no effect alone.
    const isOurs = task.after !== null && this.#done.get(task.after)?.outcome === 'reported'
    const due = isOurs ? nowMs : (this.#dueMs.get(task.name) ?? nowMs + Math.floor(random.next() * this.#options.maxDelayMs))
    this.#dueMs.set(task.name, due)
    if (due > nowMs) return null
    if (!this.#allowance.tryTake()) {
      this.#isOverLimit = true
      return null
    }
    const call = { to: this.#options.contract, data: task.data, spareGas: EPOCH_TURN_GAS }
    const receipt = await sender.send({ ...call, label: task.name }, stopping)
    if (!receipt.succeeded) return this.#judgeFailed(task, receipt.blockNumber)
    return this.#finish(task, 'reported', `reported in block ${receipt.blockNumber}`)
  }

  putOff({ name, fields }: OffenceTask, error: unknown): void {
    const { clock, log } = this.#deps
    const times = (this.#failed.get(name)?.times ?? 0) + 1
    const reason = messageOf(error)
    const waitMs = Math.min(LONGEST_BACK_OFF_MS, this.#options.pollIntervalMs * 2 ** Math.min(times - 1, 16))
    if (this.#failed.get(name)?.reason !== reason) log.warn('an offence could not be reported; it is tried again', { ...fields, reason })
    this.#failed.set(name, { times, againMs: clock.nowMs() + waitMs, reason })
  }

  nextDueMs(): number {
    if (this.#isOverLimit) return Number.POSITIVE_INFINITY
    return Math.min(...[...this.#dueMs].filter(([name]) => !this.#failed.has(name)).map(([, atMs]) => atMs))
  }

  limitReached(): string | null {
    return this.#isOverLimit ? `${this.#options.maxReportsPerHour} reports within an hour: the others wait` : null
  }

  firstFailure(): string | null {
    const [failure] = this.#failed
    return failure === undefined ? null : `${failure[0]} could not be reported: ${failure[1].reason}`
  }

  /** The transaction may have run out of gas, so the contract is asked whether another report was first. */
  async #judgeFailed(task: OffenceTask, blockNumber: number): Promise<ReportOutcome> {
    const refusal = await this.#deps.chain.refusalOf(task.data)
    if (refusal === null || LATER.has(refusal.name)) {
      const message = `the report failed in block ${blockNumber}, and is not on the chain`
      throw new ValidatorError('consensus/attestations', 'temporary', message, { block: blockNumber })
    }
    if (!KNOWN.has(refusal.name)) return this.#settle(task, refusal)
    return this.#finish(task, 'lost', 'another report was first')
  }

  #settle(task: OffenceTask, { name, words }: StakingRefusal): ReportOutcome {
    if (KNOWN.has(name)) return this.#finish(task, 'known', 'on the chain already')
    return this.#finish(task, TOO_LATE.has(name) ? 'too-late' : 'refused', words)
  }

  #finish(task: OffenceTask, outcome: ReportOutcome, words: string): ReportOutcome {
    const { clock, log } = this.#deps
    this.#done.set(task.name, { againMs: clock.nowMs() + CHECK_AGAIN_MS, outcome })
    this.#dueMs.delete(task.name)
    this.#failed.delete(task.name)
    if (this.#done.size > MAX_DONE) this.#done.delete(this.#done.keys().next().value as string)
    this.#reports.inc(1, { kind: task.kind, outcome })
    const line = `${DESCRIPTIONS[task.kind]}: ${words}`
    if (outcome === 'refused' || outcome === 'too-late') log.warn(line, task.fields)
    else log.info(line, task.fields)
    return outcome
  }
}
