/** Verifications that go on after the response, as the protocols of Etherscan and Sourcify expect. Results are kept for an hour. */
import { randomUUID } from 'node:crypto'
import type { Address, Clock } from '@keelson/primitives'
import type { Submission } from '../../verify/verifier.ts'
import { VerifyRefusal } from '../../verify/verify-refusal.ts'

export interface VerificationJob<T> {
  readonly id: string
  readonly address: Address
  readonly submission: Pick<Submission, 'contract' | 'file' | 'compilerVersion'>
  readonly startedMs: number
  /** Null while it runs. */
  readonly finished: { readonly atMs: number; readonly result: T | VerifyRefusal } | null
}

export interface NewJob<T> {
  readonly caller: string
  readonly address: Address
  readonly submission: Submission
  run(signal: AbortSignal): Promise<T>
}

const KEPT_MS = 3_600_000
const MAX_KEPT = 2_000
const MAX_KEPT_OF_CALLER = 50

interface Entry<T> {
  readonly caller: string
  job: VerificationJob<T>
}

export class VerificationJobs<T> {
  readonly #clock: Pick<Clock, 'nowMs'>
  /** In the order in which they started. */
  readonly #entries = new Map<string, Entry<T>>()
  readonly #stopping = new AbortController()

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock
  }

  /** Returns the job and a promise that fulfils when it has ended. `onFault` gets errors that are no refusal. */
  start({ caller, address, submission, run }: NewJob<T>, onFault: (error: unknown) => VerifyRefusal): VerificationJob<T> {
    this.#makeRoom(caller)
    const { contract, file, compilerVersion } = submission
    const job = {
      id: randomUUID(),
      address,
      submission: { contract, file, compilerVersion },
      startedMs: this.#clock.nowMs(),
      finished: null,
    }
    const entry: Entry<T> = { caller, job }
    this.#entries.set(job.id, entry)
    const finish = (result: T | VerifyRefusal) => {
      entry.job = { ...job, finished: { atMs: this.#clock.nowMs(), result } }
    }
    run(this.#stopping.signal).then(finish, (error: unknown) => finish(error instanceof VerifyRefusal ? error : onFault(error)))
    return job
  }

  find(id: string): VerificationJob<T> | null {
    const job = this.#entries.get(id)?.job ?? null
    return job?.finished && this.#clock.nowMs() - job.finished.atMs > KEPT_MS ? null : job
  }

  stop(reason: VerifyRefusal): void {
    this.#stopping.abort(reason)
  }

  /** Jobs that run have places for uploads, of which there are fewer than are kept here. */
  #makeRoom(caller: string): void {
    const ended = [...this.#entries.values()].filter(({ job }) => job.finished !== null)
    const mine = ended.filter((one) => one.caller === caller)
    const surplus = [
      ...ended.filter(({ job }) => this.find(job.id) === null),
      ...mine.slice(0, Math.max(0, mine.length + 1 - MAX_KEPT_OF_CALLER)),
      ...ended.slice(0, Math.max(0, this.#entries.size + 1 - MAX_KEPT)),
    ]
    for (const { job } of surplus) this.#entries.delete(job.id)
  }
}
