/** What a sync has done and what is left, for eth_syncing, the log, metrics and health. */
import type { Clock, Logger } from '@keelson/primitives'
import { createProgressLog, type ProgressLog } from '@keelson/runtime'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { Segment } from './skeleton/segments.ts'
import type { SnapPhase, SnapStatus } from './snap/snap-sync.ts'

/** `records`: blocks and receipts that are not executed. `state`: accounts of the pivot. Only snap sync has these two. */
export type SyncStage = 'headers' | 'records' | 'state' | 'blocks'

export interface StageCount {
  readonly done: number
  readonly of: number
}

export type StateCounts = SnapStatus['counts'] & { readonly phase: SnapPhase; readonly pivot: number }

export interface SyncReading {
  readonly stage: SyncStage
  /** The head when the sync began. */
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
  /** Counts of each stage that this sync has. The total of `state` is an estimate. */
  readonly stages: Readonly<Partial<Record<SyncStage, StageCount>>>
  /** Counts since the start of the process; null before the state is fetched. */
  readonly state: StateCounts | null
}

export interface SyncProgressDependencies {
  readonly chain: Pick<ChainReader, 'label' | 'header'>
  readonly clock: Clock
  readonly log: Logger
}

export class SyncProgress {
  readonly #deps: SyncProgressDependencies
  readonly #logs: Readonly<Record<SyncStage, ProgressLog>>
  #reading: SyncReading | null = null
  /** Share of the state that an earlier process has fetched. */
  #doneBefore: number | null = null

  constructor(deps: SyncProgressDependencies) {
    const { clock, log } = deps
    this.#deps = deps
    this.#logs = {
      headers: createProgressLog('sync: fetching headers', clock, log),
      records: createProgressLog('sync: fetching blocks and receipts', clock, log),
      state: createProgressLog('sync: fetching the state', clock, log),
      blocks: createProgressLog('sync: fetching and executing blocks', clock, log),
    }
  }

  /** Null while there is nothing to sync. */
  get reading(): SyncReading | null {
    return this.#reading
  }

  headers(segments: readonly Segment[]): void {
    const [top] = segments
    if (top === undefined) return
    const { startingBlock, currentBlock } = this.#now()
    const lowest = segments.at(-1) as Segment
    // Headers below the lowest one were fetched before, if they are stored with their blocks.
    const stored = this.#deps.chain.header(lowest.tailParent) === null ? 0 : Math.max(0, lowest.tail - 1 - currentBlock)
    const done = segments.reduce((sum, { head, tail }) => sum + head - tail + 1, stored)
    this.#set('headers', currentBlock, top.head, { done, of: Math.max(done, top.head - currentBlock) }, startingBlock)
  }

  blocks(currentBlock: number, highestBlock: number): void {
    const { startingBlock } = this.#now()
    const from = Math.min(startingBlock, currentBlock)
    this.#set('blocks', currentBlock, highestBlock, { done: currentBlock - from, of: highestBlock - from }, startingBlock)
  }

  /** `storedBlock` is the newest block that is stored without its state. */
  records(storedBlock: number, pivot: number, highestBlock: number): void {
    const { startingBlock } = this.#now()
    this.#set('records', storedBlock, highestBlock, { done: storedBlock - startingBlock, of: pivot - startingBlock }, startingBlock)
  }

  state({ phase, pivot, counts, done }: SnapStatus): void {
    const reading = this.#reading
    if (reading === null) return
    this.#doneBefore ??= done
    // Accounts are spread evenly over their hashes.
    const of = done === this.#doneBefore ? 0 : counts.accounts / (done - this.#doneBefore)
    const count = { done: Math.round(of * done), of: Math.round(of) }
    this.#reading = {
      ...reading,
      stage: 'state',
      stages: { ...reading.stages, state: count },
      state: { ...counts, phase, pivot: pivot.number },
    }
    const { slots, codes, nodes } = counts
    this.#logs.state.note(count.done, phase === 'healing' ? null : count.of, {
      phase,
      slots,
      codes,
      healedNodes: nodes,
      pivot: pivot.number,
    })
  }

  end(): void {
    const last = this.#reading
    this.#reading = null
    this.#doneBefore = null
    if (last !== null) this.#deps.log.info('sync: over', { from: last.startingBlock, to: this.#deps.chain.label('unsafe').header.number })
  }

  #now(): Pick<SyncReading, 'startingBlock' | 'currentBlock'> {
    if (this.#reading !== null) return this.#reading
    const { number } = this.#deps.chain.label('unsafe').header
    return { startingBlock: number, currentBlock: number }
  }

  #set(stage: SyncStage, currentBlock: number, highestBlock: number, count: StageCount, startingBlock: number): void {
    if (this.#reading === null) this.#deps.log.info('sync: begins', { head: currentBlock, target: highestBlock })
    const none = { done: 0, of: highestBlock - currentBlock }
    const stages = { headers: none, blocks: none, ...this.#reading?.stages, [stage]: count }
    this.#reading = { stage, startingBlock, currentBlock, highestBlock, stages, state: this.#reading?.state ?? null }
    this.#logs[stage].note(count.done, count.of)
  }
}
