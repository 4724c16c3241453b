/** What the logs of an L1 block say about the rollup. */
import { decodeBlockNumber, findTransactionDeposited, OUTPUT_PROPOSED_TOPIC } from '@keelson/contracts'
import type { L1Addresses } from '@keelson/devnet/genesis'
import { type Hash, hexToBytes, type Log } from '@keelson/primitives'
import type { Proposal } from './l1-state.ts'

export function proposalsIn(logs: readonly Log[], { L2OutputOracle }: L1Addresses): readonly Proposal[] {
  return logs
    .filter(({ address, topics }) => address === L2OutputOracle && topics[0] === OUTPUT_PROPOSED_TOPIC)
    .map(({ topics }) => ({ outputRoot: topics[1] as Hash, l2BlockNumber: decodeBlockNumber(hexToBytes(topics[3] as Hash)) }))
}

/** The wei that L2 must mint for these logs. */
export function depositedIn(logs: readonly Log[], { OptimismPortal }: L1Addresses): bigint {
  return logs
    .filter(({ address }) => address === OptimismPortal)
    .reduce((sum, log) => sum + (findTransactionDeposited(log)?.mintWei ?? 0n), 0n)
}
