import type { TransactionManager } from '@keelson/client'
import type { Offences } from '@keelson/contracts'
import { type Address, type Clock, type Logger, messageOf, type Random } from '@keelson/primitives'
import { createPoller, type Metrics, type Poller, type Service } from '@keelson/runtime'
import type { AttestationGossip } from '../ports.ts'
import type { AttestedFeed } from './attested-feed.ts'
import type { OffenceChain, OpenOffence } from './offence-chain.ts'
import { OffenceReporter, type OffenceReporterOptions, type ReportOutcome } from './offence-reporter.ts'
import { type OffenceTask, offenceTasks } from './offence-tasks.ts'

export interface OffenceWatcherDependencies {
  readonly offences: Pick<AttestationGossip, 'offences'>
  readonly chain: OffenceChain
  /** Publishes the chain's attestations in gossip, where offences are detected. */
  readonly attested: AttestedFeed
  readonly sender: Pick<TransactionManager, 'send' | 'recover'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

export interface TaskOutcome {
  readonly name: string
  readonly outcome: ReportOutcome
}

/**
 * Reports offences, each once. The chain decides what is left to report, so a restart or a second watcher costs at most one fee.
 */
export interface OffenceWatcher extends Service {
  /** Failures are reported by `trouble`, and delay no other report. */
  step(): Promise<readonly TaskOutcome[]>
  trouble(): { readonly reason: string } | null
}

export const DEFAULT_OFFENCE_WATCHER = { pollIntervalMs: 10_000, maxDelayMs: 8_000, maxReportsPerHour: 60 } as const

const NONE: Offences = { doubleAttestations: [], invalidAttestations: [], doubleBlocks: [] }
const LEAST_PAUSE_MS = 1_000

export function createOffenceWatcher(options: OffenceReporterOptions, deps: OffenceWatcherDependencies): OffenceWatcher {
  return new PollingOffenceWatcher(options, deps)
}

class PollingOffenceWatcher implements OffenceWatcher {
  readonly name = 'offence watcher'
  readonly #options: OffenceReporterOptions
  readonly #deps: OffenceWatcherDependencies
  readonly #log: Logger
  readonly #waiting: ReturnType<Metrics['gauge']>
  readonly #poller: Poller
  readonly #reporter: OffenceReporter
  readonly #underWay = new Set<string>()
  readonly #silent = new Map<string, string>()
  #recovered = false
  #problem: string | null = null

  constructor(options: OffenceReporterOptions, deps: OffenceWatcherDependencies) {
    const { clock, metrics } = deps
    this.#options = options
    this.#deps = deps
    this.#log = deps.log.child('watch')
    this.#waiting = metrics.gauge('offences_waiting', 'offences that are still to be reported or settled')
    this.#poller = createPoller(() => this.#poll(), {
      clock,
      intervalMs: () => this.#pauseMs(),
      onError: (error) => this.#onFailure(error),
    })
    this.#reporter = new OffenceReporter(options, { ...deps, log: this.#log, stopping: this.#poller.signal })
  }

  async start(): Promise<void> {
    this.#poller.start()
  }

  stop(): Promise<void> {
    return this.#poller.stop()
  }

  trouble(): { readonly reason: string } | null {
    const [silence] = this.#silent.values()
    const reason = this.#problem ?? this.#reporter.limitReached() ?? silence ?? this.#reporter.firstFailure()
    return reason === null ? null : { reason }
  }

  async step(): Promise<readonly TaskOutcome[]> {
    if (!this.#recovered) await this.#recover()
    this.#problem = null
    const outcomes: TaskOutcome[] = []
    /** Pair in progress of each key; if it succeeds, the key's other pairs are unnecessary. */
    const pairs = new Map<Address, string>()
    let open = 0
    for (const task of await this.#openTasks()) {
      if (this.#poller.signal.aborted) break
      const { name, after, pair } = task
      const current = pair === null ? undefined : pairs.get(pair.of)
      if (this.#underWay.has(name)) {
        if (pair !== null) pairs.set(pair.of, current ?? pair.name)
        continue
      }
      if (this.#reporter.isPutOff(name)) {
        open++
        continue
      }
      try {
        if (await this.#reporter.isDone(task)) continue
        open++
        if ((current !== undefined && current !== pair?.name) || (after !== null && !this.#reporter.hasOutcome(after))) continue
        if (pair !== null) pairs.set(pair.of, pair.name)
        const outcome = await this.#reporter.attend(task)
        if (outcome === null) continue
        outcomes.push({ name, outcome })
        open--
      } catch (error) {
        if (!this.#poller.signal.aborted) this.#reporter.putOff(task, error)
        if (pair !== null) pairs.delete(pair.of)
      }
    }
    this.#waiting.set(open)
    return outcomes
  }

  async #openTasks(): Promise<readonly OffenceTask[]> {
    const { attested, offences, chain } = this.#deps
    await this.#read('attestations on the chain could not be compared with gossip', undefined, () => attested.passOn())
    const seen = await this.#read<Offences>('offences could not be read', NONE, () => offences.offences())
    const overdue = await this.#read<readonly OpenOffence[]>('open penalties could not be read', [], () => chain.overdue())
    const tasks = offenceTasks(seen, overdue)
    this.#reporter.begin(tasks)
    return tasks
  }

  /** Returns `otherwise` on failure, so that offences known to other nodes are still reported. */
  async #read<T>(what: string, otherwise: T, read: () => Promise<T>): Promise<T> {
    try {
      const answer = await read()
      this.#silent.delete(what)
      return answer
    } catch (error) {
      const reason = `${what}: ${messageOf(error)}`
      if (this.#silent.get(what) !== reason) this.#log.warn(reason)
      this.#silent.set(what, reason)
      return otherwise
    }
  }

  async #recover(): Promise<void> {
    for (const { label, receipt } of await this.#deps.sender.recover()) {
      this.#underWay.add(label)
      const over = () => this.#underWay.delete(label)
      receipt.then(over, over)
    }
    this.#recovered = true
  }

  async #poll(): Promise<void> {
    await this.step()
  }

  #onFailure(error: unknown): void {
    const reason = messageOf(error)
    if (this.#problem !== reason) this.#log.warn('looking for offences failed; retrying', { reason })
    this.#problem = reason
  }

  /** With a fixed interval, watchers in step would all report at the same moment. */
  #pauseMs(): number {
    const { pollIntervalMs } = this.#options
    if (this.#problem !== null) return pollIntervalMs
    return Math.min(pollIntervalMs, Math.max(LEAST_PAUSE_MS, this.#reporter.nextDueMs() - this.#deps.clock.nowMs()))
  }
}
