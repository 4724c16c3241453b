/** What a sync has done and what is left, for eth_syncing, the log, metrics and health. */
import type { Clock, Logger } from '@keelson/primitives'
import { createProgressLog, type ProgressLog } from '@keelson/runtime'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { Segment } from './skeleton/segments.ts'

export type SyncStage = 'headers' | 'blocks'

export interface StageCount {
  readonly done: number
  readonly of: number
}

export interface SyncReading {
  readonly stage: SyncStage
  /** The head when the sync began. */
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
  readonly stages: Readonly<Record<SyncStage, StageCount>>
}

export interface SyncProgressDependencies {
  readonly chain: Pick<ChainReader, 'label'>
  readonly clock: Clock
  readonly log: Logger
}

export class SyncProgress {
  readonly #deps: SyncProgressDependencies
  readonly #logs: Readonly<Record<SyncStage, ProgressLog>>
  #reading: SyncReading | null = null

  constructor(deps: SyncProgressDependencies) {
    const { clock, log } = deps
    this.#deps = deps
    this.#logs = {
      headers: createProgressLog('sync: fetching headers', clock, log),
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
    const done = segments.reduce((sum, { head, tail }) => sum + head - tail + 1, 0)
    this.#set('headers', currentBlock, top.head, { done, of: Math.max(done, top.head - currentBlock) }, startingBlock)
  }

  blocks(currentBlock: number, highestBlock: number): void {
    const { startingBlock } = this.#now()
    const from = Math.min(startingBlock, currentBlock)
    this.#set('blocks', currentBlock, highestBlock, { done: currentBlock - from, of: highestBlock - from }, startingBlock)
  }

  end(): void {
    const last = this.#reading
    this.#reading = null
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
    this.#reading = { stage, startingBlock, currentBlock, highestBlock, stages }
    this.#logs[stage].note(count.done, count.of)
  }
}
