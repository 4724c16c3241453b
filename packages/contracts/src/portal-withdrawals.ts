/** OptimismPortal on L1: where withdrawals are proven against an output root and paid out. specs: protocol/withdrawals.md */
import { concatBytes, type Hash, hexToBytes, keccak256Hash, type Log, toHash } from '@keelson/primitives'
import { decodeParameters, decodeUint } from './abi/abi-decode.ts'
import { encodeCall, eventTopic } from './abi/abi-encode.ts'
import type { AbiValue } from './abi/abi-type.ts'
import type { Withdrawal } from './withdrawal.ts'

/** `WithdrawalFinalized(withdrawalHash, success)`, the first indexed. */
export const WITHDRAWAL_FINALIZED_TOPIC: Hash = eventTopic('WithdrawalFinalized(bytes32,bool)')

/** While true nothing is proven or paid out. */
export const PORTAL_PAUSED_CALL = encodeCall('paused()')

/** What an output root is the hash of, with the version word before it. */
export interface OutputRootProof {
  readonly stateRoot: Hash
  readonly messagePasserStorageRoot: Hash
  readonly blockHash: Hash
}

export interface WithdrawalProof {
  /** Of the output in the oracle. */
  readonly outputIndex: bigint
  readonly output: OutputRootProof
  /** Trie nodes from the message passer's storage root down to the withdrawal's slot. */
  readonly nodes: readonly Uint8Array[]
}

const WITHDRAWAL_TUPLE = '(uint256,address,address,uint256,uint256,bytes)'

function asTuple({ nonce, sender, target, valueWei, gasLimit, data }: Withdrawal): readonly AbiValue[] {
  return [nonce, sender, target, valueWei, gasLimit, data]
}

/** Where the message passer keeps a withdrawal; the value there is 1. */
export function withdrawalSlot(hash: Hash): Hash {
  return keccak256Hash(concatBytes(hexToBytes(hash), new Uint8Array(32)))
}

export function encodeProveWithdrawal(withdrawal: Withdrawal, { outputIndex, output, nodes }: WithdrawalProof): Uint8Array {
  return encodeCall(`proveWithdrawalTransaction(${WITHDRAWAL_TUPLE},uint256,(bytes32,bytes32,bytes32,bytes32),bytes[])`, [
    asTuple(withdrawal),
    outputIndex,
    [new Uint8Array(32), output.stateRoot, output.messagePasserStorageRoot, output.blockHash],
    nodes,
  ])
}

/** Anyone may send it, once the time to challenge the output has passed since the proof. */
export function encodeFinalizeWithdrawal(withdrawal: Withdrawal): Uint8Array {
  return encodeCall(`finalizeWithdrawalTransaction(${WITHDRAWAL_TUPLE})`, [asTuple(withdrawal)])
}

/** Answer: decodeProvenWithdrawal. */
export function encodeProvenWithdrawals(hash: Hash): Uint8Array {
  return encodeCall('provenWithdrawals(bytes32)', [hash])
}

export interface ProvenWithdrawal {
  readonly outputRoot: Hash
  /** L1 time of the proof. */
  readonly timestampSec: number
  readonly outputIndex: bigint
}

/** Null when it has not been proven. */
export function decodeProvenWithdrawal(data: Uint8Array): ProvenWithdrawal | null {
  const [root, timestamp, outputIndex] = decodeParameters('bytes32,uint128,uint128', data) as [Uint8Array, bigint, bigint]
  return timestamp === 0n ? null : { outputRoot: toHash(root), timestampSec: Number(timestamp), outputIndex }
}

/** Answer: decodeBool. True also when the call it made failed. */
export function encodeFinalizedWithdrawals(hash: Hash): Uint8Array {
  return encodeCall('finalizedWithdrawals(bytes32)', [hash])
}

export function decodeBool(data: Uint8Array): boolean {
  return decodeUint(data) === 1n
}

export interface WithdrawalFinalized {
  readonly withdrawalHash: Hash
  /** Of the call to the withdrawal's target. */
  readonly succeeded: boolean
}

/** Null when it is another event. */
export function findWithdrawalFinalized(log: Log): WithdrawalFinalized | null {
  const [topic, withdrawalHash] = log.topics
  if (topic !== WITHDRAWAL_FINALIZED_TOPIC || withdrawalHash === undefined || log.data.length !== 32) return null
  return { withdrawalHash, succeeded: decodeBool(log.data) }
}
