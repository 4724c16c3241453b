/** L2OutputOracle on L1. specs: protocol/proposals.md#l2-output-oracle-smart-contract */
import { type Hash, hexToBytes, toHash } from '@keelson/primitives'
import { decodeParameters, decodeUint } from './abi/abi-decode.ts'
import { encodeCall, eventTopic } from './abi/abi-encode.ts'

/** `OutputProposed(outputRoot, l2OutputIndex, l2BlockNumber, l1Timestamp)` */
export const OUTPUT_PROPOSED_TOPIC: Hash = eventTopic('OutputProposed(bytes32,uint256,uint256,uint256)')

/** All but getL2Output return one word. */
export const OUTPUT_ORACLE_CALLS = {
  nextBlockNumber: encodeCall('nextBlockNumber()'),
  /** The starting block before the first proposal. */
  latestBlockNumber: encodeCall('latestBlockNumber()'),
  /** Reverts before the first proposal. */
  latestOutputIndex: encodeCall('latestOutputIndex()'),
  nextOutputIndex: encodeCall('nextOutputIndex()'),
  submissionInterval: encodeCall('submissionInterval()'),
  finalizationPeriodSeconds: encodeCall('finalizationPeriodSeconds()'),
  startingBlockNumber: encodeCall('startingBlockNumber()'),
  startingTimestamp: encodeCall('startingTimestamp()'),
  proposer: encodeCall('proposer()'),
} as const

export interface OutputProposalCall {
  readonly outputRoot: Hash
  readonly l2BlockNumber: number
  /** The proposal reverts unless L1 still has this block. */
  readonly l1: { readonly hash: Hash; readonly number: number }
}

/** Proposer only; `l2BlockNumber` must equal nextBlockNumber. */
export function encodeProposeL2Output({ outputRoot, l2BlockNumber, l1 }: OutputProposalCall): Uint8Array {
  return encodeCall('proposeL2Output(bytes32,uint256,bytes32,uint256)', [
    hexToBytes(outputRoot),
    BigInt(l2BlockNumber),
    hexToBytes(l1.hash),
    BigInt(l1.number),
  ])
}

export function encodeGetL2Output(index: bigint): Uint8Array {
  return encodeCall('getL2Output(uint256)', [index])
}

/** Reverts when there is none. */
export function encodeGetL2OutputAfter(l2BlockNumber: bigint): Uint8Array {
  return encodeCall('getL2OutputAfter(uint256)', [l2BlockNumber])
}

/** Reverts when there is none. */
export function encodeGetL2OutputIndexAfter(l2BlockNumber: bigint): Uint8Array {
  return encodeCall('getL2OutputIndexAfter(uint256)', [l2BlockNumber])
}

export interface ProposedOutput {
  readonly outputRoot: Hash
  /** L1 time of the proposal. */
  readonly timestampSec: number
  readonly l2BlockNumber: number
}

export function decodeL2Output(data: Uint8Array): ProposedOutput {
  const [root, timestamp, block] = decodeParameters('bytes32,uint128,uint128', data) as [Uint8Array, bigint, bigint]
  return { outputRoot: toHash(root), timestampSec: Number(timestamp), l2BlockNumber: Number(block) }
}

export function decodeBlockNumber(data: Uint8Array): number {
  return Number(decodeUint(data))
}
