import type { BlockSummary } from '../../data/blocks.ts'

export interface Throughput {
  readonly transactionsPerSec: number | null
  readonly gasPerSec: number | null
  readonly blockTimeSec: number | null
}

/** The first transaction of each block is the L1 info, which no user sent. */
const SYSTEM_TRANSACTIONS = 1

export function throughputOf(blocks: readonly BlockSummary[]): Throughput {
  const [first, ...rest] = blocks
  const last = rest.at(-1)
  if (first === undefined || last === undefined || last.timeMs <= first.timeMs) {
    return { transactionsPerSec: null, gasPerSec: null, blockTimeSec: null }
  }
  const seconds = (last.timeMs - first.timeMs) / 1000
  const sum = (of: (block: BlockSummary) => number) => rest.reduce((total, block) => total + of(block), 0)
  return {
    transactionsPerSec: sum(({ transactions }) => Math.max(0, transactions - SYSTEM_TRANSACTIONS)) / seconds,
    gasPerSec: sum(({ gasUsed }) => gasUsed) / seconds,
    blockTimeSec: seconds / rest.length,
  }
}
