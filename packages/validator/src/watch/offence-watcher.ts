/**
 * Reports offences that a consensus client has seen, each once, from an account that pays the fee: nobody gains by it.
 * What is on the chain counts, not what this process remembers, so that a restart or a second watcher costs nothing but,
 * when two are equally quick, a fee.
 */
import type { TransactionManager } from '@keelson/client'
import type { Offences } from '@keelson/contracts'
import { EPOCH_TURN_GAS, type StakingRefusal } from '@keelson/contracts'
import type { Address, Clock, Logger, Random } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import { createTokenBucket, type Metrics, type Service } from '@keelson/runtime'
import { ValidatorError } from '../errors.ts'
import type { AttestationGossip } from '../ports.ts'
import type { AttestedFeed } from './attested-feed.ts'
import type { OffenceChain, OpenOffence } from './offence-chain.ts'
import { type OffenceTask, offenceTasks, type ReportKind } from './offence-tasks.ts'

export interface OffenceWatcherOptions {
  /** Of the Staking contract. */
  readonly contract: Address
  /** Between two looks; less when a report is due before. */
  readonly pollIntervalMs: number
  /** A report waits a random part of this, so that of several watchers one is first. */
  readonly maxDelayMs: number
  /** More are put off; what one may cost is bounded by the sender. */
  readonly maxReportsPerHour: number
}

export interface OffenceWatcherDependencies {
  readonly offences: Pick<AttestationGossip, 'offences'>
  readonly chain: OffenceChain
  /** Brings what stands on the chain to where offences are found. */
  readonly attested: AttestedFeed
  readonly sender: Pick<TransactionManager, 'send' | 'recover'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/**
 * `reported`: by this watcher. `known`: the chain had it. `lost`: another's report was first, ours reverted. `too-late`:
 * its time is over. `refused`: the contract does not see an offence in it.
 */
export type ReportOutcome = 'reported' | 'known' | 'lost' | 'too-late' | 'refused'

export interface OffenceWatcher extends Service {
  /** Looks once, and reports what is due; what came of each. What fails is in `trouble`, and holds nothing else up. */
  step(): Promise<readonly { readonly name: string; readonly outcome: ReportOutcome }[]>
  trouble(): { readonly reason: string } | null
}

export const DEFAULT_OFFENCE_WATCHER = { pollIntervalMs: 10_000, maxDelayMs: 8_000, maxReportsPerHour: 60 } as const

const KNOWN = new Set(['AlreadyReported', 'AlreadyNoted', 'AlreadyClosed', 'SlashedForGood'])
const TOO_LATE = new Set(['EvidenceTooOld', 'CheckpointNotServed'])
/** The chain is not there yet, or went back. */
const LATER = new Set(['EpochToCome', 'NotReported'])
const NONE: Offences = { doubleAttestations: [], invalidAttestations: [], doubleBlocks: [] }
const HOUR_SEC = 3_600
const MAX_DONE = 4_096
/** What failed is left alone for a poll interval, then twice that, up to this. */
const LONGEST_BACK_OFF_MS = 10 * 60_000
/** A reorg may take a report back: the chain is asked once more. */
const ASK_AGAIN_MS = 10 * 60_000
/** However many reports are due one after the other. */
const LEAST_PAUSE_MS = 1_000

export function createOffenceWatcher(options: OffenceWatcherOptions, deps: OffenceWatcherDependencies): OffenceWatcher {
  const { chain, sender, clock, random } = deps
  const log = deps.log.child('watch')
  const reports = deps.metrics.counter('offence_reports_total', 'offences dealt with, by kind and what came of it', ['kind', 'outcome'])
  const waiting = deps.metrics.gauge('offences_waiting', 'offences that are still to be reported or settled')
  const allowance = createTokenBucket({ perSec: options.maxReportsPerHour / HOUR_SEC, burst: options.maxReportsPerHour }, clock)
  const done = new Map<string, { readonly againMs: number; readonly outcome: ReportOutcome }>()
  const dueMs = new Map<string, number>()
  const failed = new Map<string, { readonly times: number; readonly againMs: number; readonly reason: string }>()
  /** Labels of reports of an earlier run that are not settled. */
  const underWay = new Set<string>()
  /** What is not answered, and why. */
  const silent = new Map<string, string>()
  const stopping = new AbortController()
  let recovered = false
  let problem: string | null = null
  let loop: Promise<void> = Promise.resolve()

  function finish(task: OffenceTask, outcome: ReportOutcome, words: string): void {
    done.set(task.name, { againMs: clock.nowMs() + ASK_AGAIN_MS, outcome })
    dueMs.delete(task.name)
    failed.delete(task.name)
    if (done.size > MAX_DONE) done.delete(done.keys().next().value as string)
    reports.inc(1, { kind: task.kind, outcome })
    const line = `${DESCRIPTIONS[task.kind]}: ${words}`
    if (outcome === 'refused' || outcome === 'too-late') log.warn(line, task.fields)
    else log.info(line, task.fields)
  }

  function settle(task: OffenceTask, { name, words }: StakingRefusal): ReportOutcome {
    const outcome = KNOWN.has(name) ? 'known' : TOO_LATE.has(name) ? 'too-late' : 'refused'
    finish(task, outcome, outcome === 'known' ? 'on the chain already' : words)
    return outcome
  }

  /** A transaction may also fail for want of gas: only the contract tells whether another report was first. */
  async function judgeFailed(task: OffenceTask, blockNumber: number): Promise<ReportOutcome> {
    const refusal = await chain.refusalOf(task.data)
    if (refusal === null || LATER.has(refusal.name)) {
      const message = `the report failed in block ${blockNumber}, and is not on the chain`
      throw new ValidatorError('consensus/attestations', 'temporary', message, { block: blockNumber })
    }
    if (!KNOWN.has(refusal.name)) return settle(task, refusal)
    finish(task, 'lost', 'another report was first')
    return 'lost'
  }

  /** Null when there is nothing to tell yet. */
  async function attend(task: OffenceTask): Promise<ReportOutcome | null> {
    const refusal = await chain.refusalOf(task.data)
    if (refusal !== null) return LATER.has(refusal.name) ? null : settle(task, refusal)
    const nowMs = clock.nowMs()
    // the first block of a pair of ours costs nobody anything without the second
    const isOurs = task.after !== null && done.get(task.after)?.outcome === 'reported'
    const due = isOurs ? nowMs : (dueMs.get(task.name) ?? nowMs + Math.floor(random.next() * options.maxDelayMs))
    dueMs.set(task.name, due)
    if (due > nowMs) return null
    if (!allowance.tryTake()) {
      problem = `${options.maxReportsPerHour} reports within an hour: the others wait`
      return null
    }
    const call = { to: options.contract, data: task.data, spareGas: EPOCH_TURN_GAS }
    const receipt = await sender.send({ ...call, label: task.name }, stopping.signal)
    if (!receipt.succeeded) return judgeFailed(task, receipt.blockNumber)
    finish(task, 'reported', `reported in block ${receipt.blockNumber}`)
    return 'reported'
  }

  async function isDone({ name, data, fields }: OffenceTask): Promise<boolean> {
    const entry = done.get(name)
    if (entry === undefined || clock.nowMs() < entry.againMs) return entry !== undefined
    if ((await chain.refusalOf(data)) !== null) {
      done.set(name, { ...entry, againMs: Number.POSITIVE_INFINITY })
      return true
    }
    log.warn('what was reported is no longer on the chain: it is reported again', fields)
    done.delete(name)
    return false
  }

  async function recover(): Promise<void> {
    for (const { label, receipt } of await sender.recover()) {
      underWay.add(label)
      const over = () => underWay.delete(label)
      receipt.then(over, over)
    }
    recovered = true
  }

  function putOff({ name, fields }: Pick<OffenceTask, 'name' | 'fields'>, error: unknown): void {
    const times = (failed.get(name)?.times ?? 0) + 1
    const reason = messageOf(error)
    const waitMs = Math.min(LONGEST_BACK_OFF_MS, options.pollIntervalMs * 2 ** Math.min(times - 1, 16))
    if (failed.get(name)?.reason !== reason) log.warn('an offence could not be reported; it is tried again', { ...fields, reason })
    failed.set(name, { times, againMs: clock.nowMs() + waitMs, reason })
  }

  /** What `ask` gives, or `otherwise` when it is not answered: what others answer is acted on all the same. */
  async function asked<T>(what: string, otherwise: T, ask: () => Promise<T>): Promise<T> {
    try {
      const answer = await ask()
      silent.delete(what)
      return answer
    } catch (error) {
      const reason = `${what}: ${messageOf(error)}`
      if (silent.get(what) !== reason) log.warn(reason)
      silent.set(what, reason)
      return otherwise
    }
  }

  /** Names of what is gone are forgotten. */
  function forgetAllBut(tasks: readonly OffenceTask[]): void {
    const names = new Set(tasks.map(({ name }) => name))
    for (const kept of [dueMs, failed]) for (const name of kept.keys()) if (!names.has(name)) kept.delete(name)
  }

  /** Until the next report is due: waiting for the next look would make watchers that look at one moment report at one. */
  function pauseMs(): number {
    const due = problem === null ? [...dueMs].filter(([name]) => !failed.has(name)).map(([, atMs]) => atMs) : []
    return Math.min(options.pollIntervalMs, Math.max(LEAST_PAUSE_MS, Math.min(...due) - clock.nowMs()))
  }

  async function openTasks(): Promise<readonly OffenceTask[]> {
    await asked('attestations on the chain could not be compared with gossip', undefined, () => deps.attested.passOn())
    const offences = await asked<Offences>('offences could not be asked for', NONE, () => deps.offences.offences())
    const overdue = await asked<readonly OpenOffence[]>('open prices could not be looked for', [], () => chain.overdue())
    const tasks = offenceTasks(offences, overdue)
    forgetAllBut(tasks)
    return tasks
  }

  async function step(): Promise<readonly { name: string; outcome: ReportOutcome }[]> {
    if (!recovered) await recover()
    problem = null
    const outcomes: { name: string; outcome: ReportOutcome }[] = []
    /** Pairs that are dealt with now: others of the same key are not needed when they succeed. */
    const pairs = new Map<Address, string>()
    let open = 0
    for (const task of await openTasks()) {
      if (stopping.signal.aborted) break
      const { name, after, pair } = task
      const current = pair === null ? undefined : pairs.get(pair.of)
      if (underWay.has(name)) {
        if (pair !== null) pairs.set(pair.of, current ?? pair.name)
        continue
      }
      const failure = failed.get(name)
      if (failure !== undefined && clock.nowMs() < failure.againMs) {
        open++
        continue
      }
      try {
        if (await isDone(task)) continue
        open++
        // a first block that another reported counts as well
        if ((current !== undefined && current !== pair?.name) || (after !== null && !done.has(after))) continue
        if (pair !== null) pairs.set(pair.of, pair.name)
        const outcome = await attend(task)
        if (outcome === null) continue
        outcomes.push({ name, outcome })
        open--
      } catch (error) {
        if (!stopping.signal.aborted) putOff(task, error)
        if (pair !== null) pairs.delete(pair.of)
      }
    }
    waiting.set(open)
    return outcomes
  }

  function whatIsWrong(): string | null {
    const [silence] = silent.values()
    const [failure] = failed
    if (problem !== null || silence !== undefined) return problem ?? silence ?? null
    return failure === undefined ? null : `${failure[0]} could not be reported: ${failure[1].reason}`
  }

  return {
    name: 'offence watcher',
    step,
    trouble() {
      const reason = whatIsWrong()
      return reason === null ? null : { reason }
    },
    async start() {
      const run = async () => {
        while (!stopping.signal.aborted) {
          await step().catch((error: unknown) => {
            const reason = messageOf(error)
            if (problem !== reason) log.warn('offences could not be looked for; trying again', { reason })
            problem = reason
          })
          await clock.sleep(pauseMs(), stopping.signal).catch(() => undefined)
        }
      }
      loop = run()
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }
}

const DESCRIPTIONS: Readonly<Record<ReportKind, string>> = {
  'double-attestation': 'two attestations of a validator for one epoch',
  'invalid-attestation': 'an attestation to a block that is not of the chain',
  'double-block': 'two blocks of one key at one place',
  settlement: 'final price of a wrong attestation',
}
