/** L1 as the driver was last told of it: its labels, and which of its blocks were replaced. */
import type { L1Reader } from '@keelson/derivation'
import type { BlockId, L1BlockRef } from '@keelson/primitives'
import { describeBlock } from '../blocks/describe-block.ts'
import type { DriverInput } from '../driver/driver-api.ts'
import { ConsensusError } from '../errors.ts'
import type { ConsensusMetrics } from '../metrics.ts'
import { createL1Pace } from './l1-pace.ts'

export type L1Input = Extract<DriverInput, { readonly kind: 'l1-head' | 'l1-safe' | 'l1-finalized' | 'l1-reorg' }>

export interface L1View {
  readonly head: L1BlockRef | null
  readonly safe: L1BlockRef | null
  readonly finalized: L1BlockRef | null
  /** Null before two heads were seen. */
  readonly blockTimeSec: number | null
  /** Blocks above this one are known to be replaced, since the last reset; null when none are. */
  readonly replacedAfter: number | null
  take(input: L1Input): void
  /**
   * Goes back at once when something in use rests on a replaced block, and not only when L1 has grown past it again.
   * Throws ConsensusError `consensus/l1-reorg` (reset).
   */
  heedReorg(inUse: readonly (BlockId | null | undefined)[]): Promise<void>
  /** A reset begins, whoever asked for it: news that were not heeded yet count for it. */
  resetBegins(): Promise<void>
  resetDone(): void
}

export interface L1ViewDependencies {
  readonly l1: L1Reader
  readonly metrics: Pick<ConsensusMetrics, 'l1'>
  /** What a search for the sync start has noted no longer holds. */
  readonly walk: { end(): Promise<void> }
}

export function createL1View({ l1, metrics, walk }: L1ViewDependencies): L1View {
  const pace = createL1Pace()
  let head: L1BlockRef | null = null
  let safe: L1BlockRef | null = null
  let finalized: L1BlockRef | null = null
  let news: { readonly lastCommon: number; readonly head: L1BlockRef } | null = null
  let replacedAfter: number | null = null

  async function noteReplaced(lastCommon: number): Promise<void> {
    news = null
    replacedAfter = Math.min(lastCommon, replacedAfter ?? lastCommon)
    await walk.end()
  }

  return {
    get head() {
      return head
    },
    get safe() {
      return safe
    },
    get finalized() {
      return finalized
    },
    get blockTimeSec() {
      return pace.blockTimeSec
    },
    get replacedAfter() {
      return replacedAfter
    },
    take(input) {
      switch (input.kind) {
        case 'l1-head':
          head = input.block
          pace.note(head)
          metrics.l1('head', head)
          return
        case 'l1-safe':
          safe = input.block
          metrics.l1('safe', safe)
          return
        case 'l1-finalized':
          finalized = input.block
          metrics.l1('finalized', finalized)
          return
        case 'l1-reorg':
          news = { lastCommon: Math.min(input.lastCommon, news?.lastCommon ?? input.lastCommon), head: input.head }
      }
    },
    async heedReorg(inUse) {
      if (news === null) return
      const { lastCommon, head: newHead } = news
      for (const block of inUse) {
        if (block === undefined || block === null || block.number <= lastCommon) continue
        if ((await l1.blockRef(block.number))?.hash === block.hash) continue
        await noteReplaced(lastCommon)
        throw new ConsensusError(
          'consensus/l1-reorg',
          'reset',
          `L1 is at ${describeBlock(newHead)} and has replaced its blocks after ${lastCommon}, of which ${describeBlock(block)} was in use`,
          { number: block.number, hash: block.hash },
        )
      }
      news = null
    },
    async resetBegins() {
      if (news !== null) await noteReplaced(news.lastCommon)
    },
    resetDone() {
      replacedAfter = null
    },
  }
}
