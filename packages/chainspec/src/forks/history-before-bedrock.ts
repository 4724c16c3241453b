/**
 * Chains that existed before Bedrock. Their fork id begins at their first block and counts forks by block number, although this
 * node begins at the first block of Bedrock.
 */
import { type Hash, toHash } from '@keelson/primitives'

export interface HistoryBeforeBedrock {
  readonly genesis: Hash
  /** Blocks at which forks activated, ascending. */
  readonly forkBlocks: readonly number[]
}

/** By the hash of the first block of Bedrock. OP Mainnet: Berlin, then London with Bedrock (op-geth params/superchain.go). */
const HISTORIES: ReadonlyMap<Hash, HistoryBeforeBedrock> = new Map([
  [
    toHash('0xdbf6a80fef073de06add9b0d14026d6e5a86c85f6d102c36d3d8e9cf89c2afd3'),
    {
      genesis: toHash('0x7ca38a1916c42007829c55e69d3e9a73265554b586a499015373241b8a3fa48b'),
      forkBlocks: [3_950_000, 105_235_063],
    },
  ],
])

/** Returns null for a chain that began with Bedrock. */
export function historyBeforeBedrock(firstBlock: Hash): HistoryBeforeBedrock | null {
  return HISTORIES.get(firstBlock) ?? null
}
