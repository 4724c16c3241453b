import type { Clock, Hash, L2BlockRef, Logger } from '@keelson/primitives'
import { describeBlock } from '../blocks/l2-heads.ts'
import type { DegradedStates } from '../degraded-states.ts'
import type { SequencerPart } from '../driver/driver.ts'
import type { EngineControl } from '../driver/engine/engine-control.ts'
import { ConsensusError } from '../errors.ts'
import type { ForkStop } from '../fork-stop.ts'
import type { SequencerOptions } from '../options.ts'
import type { Conductor } from '../ports.ts'
import type { BlockBuilder } from './block-builder.ts'
import type { OriginSelector } from './origin-selector.ts'
import type { SequencerState } from './sequencer-state.ts'

export interface SequencerDependencies {
  readonly builder: BlockBuilder
  readonly origins: Pick<OriginSelector, 'revalidate' | 'setRecoverMode'>
  readonly engine: Pick<EngineControl, 'heads'>
  readonly derivation: { readonly caughtUpOnce: boolean }
  readonly forkStop: Pick<ForkStop, 'isLast'>
  readonly conductor: Pick<Conductor, 'enabled' | 'leader' | 'overrideLeader'>
  readonly state: SequencerState
  readonly clock: Pick<Clock, 'nowMs'>
  readonly log: Logger
  readonly degraded: DegradedStates
  readonly wake: () => void
}

/** An older head may come from a restored backup. */
const OWN_HEAD_AGE_MS = 60_000

export class Sequencer implements SequencerPart {
  readonly #options: SequencerOptions
  readonly #deps: SequencerDependencies
  #active: boolean
  #recover: boolean
  #continues = false
  #overridden = false
  #stepping: Promise<unknown> = Promise.resolve()

  constructor(options: SequencerOptions, deps: SequencerDependencies) {
    this.#options = options
    this.#deps = deps
    const wanted = deps.conductor.enabled ? null : deps.state.read()
    const byOptions = options.stopped || deps.conductor.enabled ? 'stopped' : 'started'
    this.#active = (wanted ?? byOptions) === 'started'
    this.#recover = options.recover
    deps.origins.setRecoverMode(options.recover)
    if (wanted !== null && wanted !== byOptions) {
      const remedy = this.#active ? 'admin_stopSequencer stops it' : 'admin_startSequencer starts it'
      deps.log.warn(`the sequencer stays ${wanted}, as its operator left it; ${remedy}`)
    }
  }

  get active(): boolean {
    return this.#active
  }

  get conductorEnabled(): boolean {
    return this.#deps.conductor.enabled
  }

  /** Whether the operator overrode the conductor, which lasts until this process ends. */
  get leaderOverridden(): boolean {
    return this.#overridden
  }

  nextDueMs(): number | null {
    return this.#mayBuild() ? this.#deps.builder.nextDueMs(this.#deps.engine.heads?.unsafe ?? null) : null
  }

  async step(): Promise<boolean> {
    const { heads } = this.#deps.engine
    if (heads === null || !this.#mayBuild()) return false
    const working = this.#deps.builder.step(heads.unsafe, this.#recover)
    this.#stepping = working.catch(() => undefined)
    await working
    return true
  }

  onL1Replaced(): void {
    this.#deps.origins.revalidate()
  }

  onReset(continues: boolean): void {
    this.#continues = continues
    this.#deps.builder.cancel()
    this.#deps.origins.revalidate()
  }

  /**
   * Throws ConsensusError `consensus/sequencer-state` unless `expectedHead` is the unsafe head. Throws the conductor's errors.
   */
  async start(expectedHead: Hash): Promise<void> {
    const { builder, conductor, engine, log, state, wake } = this.#deps
    if (!(await conductor.leader())) throw stateError('sequencer is not the leader, aborting')
    if (this.#active) throw stateError('sequencer already running')
    const reason = conductor.enabled ? this.#unready() : null
    if (reason !== null) throw stateError(`the sequencer cannot lead yet: ${reason}`)
    const head = engine.heads?.unsafe
    if (head === undefined) throw stateError('the unsafe head is not known yet; try again when derivation has begun')
    if (head.hash !== expectedHead) {
      const remedy = 'start from the block another sequencer stopped at, once this node has it'
      throw stateError(`block hash does not match: head ${head.hash} (block ${head.number}), received ${expectedHead}; ${remedy}`)
    }
    builder.cancel()
    // set before the first await, so that building starts on the head just compared
    this.#active = true
    builder.retryNow()
    await state.write('started').catch((error: unknown) => {
      this.#active = false
      throw error
    })
    log.info('sequencer started', { head: describeBlock(head) })
    wake()
  }

  /** Returns the unsafe head after the step in progress. Throws ConsensusError `consensus/sequencer-state`. */
  async stop(): Promise<Hash> {
    const { builder, degraded, engine, log, state } = this.#deps
    if (!this.#active) throw stateError('sequencer not running')
    this.#active = false
    builder.cancel()
    await this.#stepping
    builder.cancel()
    await state.write('stopped')
    degraded.leave('sequencer')
    const head = engine.heads?.unsafe
    if (head === undefined) throw stateError('sequencer stopped; the unsafe head is not known yet')
    log.info('sequencer stopped', { head: describeBlock(head) })
    return head.hash
  }

  overrideLeader(): void {
    this.#deps.conductor.overrideLeader()
    this.#overridden = true
    this.#deps.log.warn('leadership is overridden: this node seals without the conductor until it restarts')
  }

  setRecoverMode(on: boolean): void {
    this.#recover = on
    this.#deps.origins.setRecoverMode(on)
    this.#deps.log.warn(on ? 'recover mode: blocks without transactions, on the next L1 origin' : 'recover mode is over')
  }

  #mayBuild(): boolean {
    const { degraded, engine, forkStop } = this.#deps
    const { heads } = engine
    if (!this.#active || heads === null || forkStop.isLast(heads.unsafe)) return false
    if (this.#mustDeriveFirst(heads.unsafe)) return false
    const lag = heads.unsafe.number - heads.safe.number
    const { maxSafeLagBlocks } = this.#options
    if (maxSafeLagBlocks === 0 || lag < maxSafeLagBlocks) {
      degraded.leave('sequencer-lag')
      return true
    }
    degraded.enter(
      'sequencer-lag',
      'sequencing pauses: the safe head is too far behind',
      `unsafe is ${lag} blocks ahead of safe, the limit is ${maxSafeLagBlocks}`,
      'check that the batcher runs and that its account has funds on L1',
    )
    return false
  }

  /**
   * A node that lost its chain must not start a second one, so it reads L1 before building. A young head above all recorded safe
   * heads is its own, unless a conductor may have let another lead.
   */
  #mustDeriveFirst(unsafe: L2BlockRef): boolean {
    const { clock, conductor, derivation } = this.#deps
    if (!this.#options.waitForDerivation || derivation.caughtUpOnce) return false
    const isOwnHead = this.#continues && clock.nowMs() - unsafe.timestampSec * 1_000 <= OWN_HEAD_AGE_MS
    return conductor.enabled || !isOwnHead
  }

  #unready(): string | null {
    const { heads } = this.#deps.engine
    if (heads === null) return 'the start of derivation is not known yet'
    return this.#mustDeriveFirst(heads.unsafe) ? 'it has not read all of L1 yet' : null
  }
}

function stateError(message: string): ConsensusError {
  return new ConsensusError('consensus/sequencer-state', 'temporary', message)
}
