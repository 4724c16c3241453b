/** An operator who stops and starts a sequencer by its admin methods, and repeats the request until the sequencer confirms it. */
import { createRollupClient, RpcResponseError } from '@keelson/client'
import type { RollupApi } from '@keelson/primitives'
import type { ReportViolation } from '../judges/violation.ts'
import { type Host, PORTS, urlOf } from '../roles/host.ts'

export interface OperatedWorld {
  readonly simulation: { readonly nowMs: number }
  /** Number of reorgs so far. */
  readonly l1: { readonly branch: number }
  /** Blocks that somebody else published so far, some with the key of the sequencer. */
  readonly lyingPeer: { readonly published: number }
}

/** What was so when the sequencer confirmed that it stopped. */
interface Pause {
  readonly atMs: number
  readonly lies: number
  readonly reorgs: number
}

type Status = Awaited<ReturnType<RollupApi['syncStatus']>>

const RETRY_MS = 2_000
/** A power loss cannot take the node back to a head this old. */
const OLD_HEAD_BLOCKS = 20
/** An upper bound of the difference between two machines' clocks. */
const CLOCK_TOLERANCE_MS = 10_000

export class SequencerOperator {
  /** Starts on an old head that the sequencer refused. */
  refused = 0
  readonly #world: OperatedWorld
  readonly #machine: string
  readonly #open: () => Host
  #host: Host | null = null
  #wanted: 'started' | 'stopped' = 'started'
  #triesOldHead = false
  #isBusy = false
  #pause: Pause | null = null
  #wrong: (readonly [rule: string, text: string])[] = []

  constructor(world: OperatedWorld, machine: string, open: () => Host) {
    this.#world = world
    this.#machine = machine
    this.#open = open
  }

  stop(): void {
    this.#wanted = 'stopped'
    this.#begin()
  }

  /** With `onOldHead`, the operator first names a block that is not the head any more. */
  start({ onOldHead }: { readonly onOldHead: boolean }): void {
    this.#wanted = 'started'
    this.#triesOldHead = onOldHead
    this.#begin()
  }

  look(report: ReportViolation): void {
    for (const [rule, text] of this.#wrong) report(rule, text)
    this.#wrong = []
  }

  #begin(): void {
    this.#host ??= this.#open()
    const host = this.#host
    host.process.after(0, 'operator', () => void this.#work(host))
  }

  async #work(host: Host): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    for (;;) {
      const wanted = this.#wanted
      const isDone = await (wanted === 'stopped' ? this.#askToStop(host) : this.#askToStart(host))
      if (isDone && this.#wanted === wanted) break
      await host.process.clock.sleep(RETRY_MS)
    }
    this.#isBusy = false
  }

  /** Returns whether the sequencer has stopped. */
  async #askToStop(host: Host): Promise<boolean> {
    const answer = await this.#ask(host, 'admin_stopSequencer', [])
    if (answer === null) return false
    if (answer !== 'done') return answer.includes('sequencer not running')
    const { simulation, lyingPeer, l1 } = this.#world
    this.#pause ??= { atMs: simulation.nowMs, lies: lyingPeer.published, reorgs: l1.branch }
    return true
  }

  /** Returns whether the sequencer runs. */
  async #askToStart(host: Host): Promise<boolean> {
    const status = await createRollupClient(host.rpc(urlOf(this.#machine, PORTS.rollup)))
      .syncStatus()
      .catch(() => null)
    if (status === null) return false
    this.#judgePause(status)
    if (this.#triesOldHead) await this.#askToStartOnOldHead(host, status)
    const answer = await this.#ask(host, 'admin_startSequencer', [status.unsafeL2.hash])
    if (answer === null || (answer !== 'done' && !answer.includes('already running'))) return false
    this.#pause = null
    return true
  }

  async #askToStartOnOldHead(host: Host, { unsafeL2, finalizedL2 }: Status): Promise<void> {
    if (unsafeL2.number - finalizedL2.number < OLD_HEAD_BLOCKS) return
    this.#triesOldHead = false
    const answer = await this.#ask(host, 'admin_startSequencer', [finalizedL2.hash])
    if (answer === null) return
    if (answer.includes('block hash does not match')) this.refused++
    // A reorg of L1 may have made it the head.
    if (answer !== 'done' || this.#pause?.reorgs !== this.#world.l1.branch) return
    this.#wrong.push([
      'a sequencer starts on its head only',
      `it started on block ${finalizedL2.number}, and its head was ${unsafeL2.number}`,
    ])
  }

  #judgePause({ unsafeL2: { number, timestampSec } }: Status): void {
    const { atMs, lies } = this.#pause ?? { atMs: Number.POSITIVE_INFINITY, lies: 0 }
    if (timestampSec * 1_000 <= atMs + CLOCK_TOLERANCE_MS || lies !== this.#world.lyingPeer.published) return
    const madeSec = Math.round(timestampSec - atMs / 1_000)
    this.#wrong.push(['a sequencer that was stopped makes no block', `block ${number} is from ${madeSec} s after it had stopped`])
  }

  /** Returns the text of a refusal; null if no answer came. */
  async #ask({ rpc }: Host, method: string, params: readonly unknown[]): Promise<'done' | string | null> {
    try {
      await rpc(urlOf(this.#machine, PORTS.rollup)).call(method, params, { retry: false })
      return 'done'
    } catch (error) {
      return error instanceof RpcResponseError ? error.message : null
    }
  }
}
