import { type Hash, type Logger, messageOf } from '@keelson/primitives'
import type { Metrics, Service } from '@keelson/runtime'
import type { Verdict } from '@keelson/second-opinion'
import { AssemblyError } from '../errors.ts'
import type { OpinionRequest } from './opinion-thread.ts'

export interface OpinionReport extends OpinionRequest {
  readonly number: number
  readonly hash: Hash
  readonly verdict: Verdict
}

export interface SecondOpinionDependencies {
  /** Null if the node no longer has the block. */
  readonly evidence: (hash: Hash) => Promise<OpinionRequest | null>
  readonly judge: (request: OpinionRequest) => Promise<Verdict>
  readonly write: (report: OpinionReport) => Promise<string>
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'counter'>
}

/** Judges every Nth imported block, one at a time; skips blocks while busy. A bad block stops the node. */
export class SecondOpinionWatch implements Service {
  readonly name = 'second opinion'
  readonly failure: Promise<never>
  readonly #every: number
  readonly #deps: SecondOpinionDependencies
  readonly #count: (outcome: string) => void
  #fail: (error: Error) => void = () => undefined
  #running: Promise<void> | null = null

  constructor(every: number, deps: SecondOpinionDependencies) {
    this.#every = every
    this.#deps = deps
    const help = 'Blocks for the second opinion, by outcome: agrees, differs, invalid, incomplete, failed, skipped'
    const counter = deps.metrics.counter('second_opinion_blocks_total', help, ['outcome'])
    this.#count = (outcome) => counter.inc(1, { outcome })
    this.failure = new Promise((_, reject) => {
      this.#fail = reject
    })
    this.failure.catch(() => undefined)
  }

  look(number: number, hash: Hash): void {
    if (number % this.#every !== 0) return
    if (this.#running !== null) {
      this.#count('skipped')
      return
    }
    this.#running = this.#judge(number, hash).finally(() => {
      this.#running = null
    })
  }

  start(): Promise<void> {
    return Promise.resolve()
  }

  async stop(): Promise<void> {
    await this.#running
  }

  async #judge(number: number, hash: Hash): Promise<void> {
    const { log } = this.#deps
    try {
      const request = await this.#deps.evidence(hash)
      if (request === null) return this.#count('skipped')
      const verdict = await this.#deps.judge(request)
      this.#count(verdict.kind)
      if (verdict.kind === 'agrees') log.debug('the second opinion agrees', { number, hash })
      else await this.#report({ ...request, number, hash, verdict })
    } catch (error) {
      this.#count('failed')
      log.error('the second opinion on a block failed', { number, hash, reason: messageOf(error) })
    }
  }

  async #report(report: OpinionReport): Promise<void> {
    const { number, hash, verdict } = report
    const path = await this.#deps.write(report).catch((error: unknown) => `no report: ${messageOf(error)}`)
    if (verdict.kind === 'incomplete') {
      this.#deps.log.error('the execution witness of a block is incomplete', { number, hash, reason: verdict.reason, report: path })
      return
    }
    const what = `the second opinion on block ${number} (${hash}) contradicts this node; block, witness and verdict are in ${path}`
    this.#fail(new AssemblyError('node/second-opinion', `${what}; send them with a bug report, and compare the block with other nodes`))
  }
}
