import type { BlockSummary } from '../../data/blocks.ts'

export interface OriginSpan {
  readonly l1Block: number
  readonly first: number
  readonly last: number
}

/** Runs of blocks with one L1 origin, in ascending order. */
export function originsOf(blocks: readonly BlockSummary[]): readonly OriginSpan[] {
  const spans: { l1Block: number; first: number; last: number }[] = []
  for (const { number, l1Origin } of blocks) {
    if (l1Origin === null) continue
    const span = spans.at(-1)
    if (span?.l1Block === l1Origin) span.last = number
    else spans.push({ l1Block: l1Origin, first: number, last: number })
  }
  return spans
}
