import type { Block } from '@keelson/primitives'

export interface BlockReport {
  readonly number: number
  readonly hash: string
  readonly timestampSec: number
  readonly transactions: number
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  readonly baseFeeWei: bigint
  /** Null when an earlier run executed the block. */
  readonly elapsedMs: number | null
  readonly megagasPerSec: number | null
}

export function reportOf(block: Block, elapsedMs: number | null): BlockReport {
  const { number, timestampSec, gasUsed, gasLimit, baseFeeWei } = block.header
  return {
    number,
    hash: block.hash,
    timestampSec,
    transactions: block.transactions.length,
    gasUsed,
    gasLimit,
    baseFeeWei: baseFeeWei ?? 0n,
    elapsedMs,
    megagasPerSec: elapsedMs === null || elapsedMs === 0 ? null : Number(gasUsed) / 1000 / elapsedMs,
  }
}
