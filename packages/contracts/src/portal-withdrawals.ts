/** Withdrawals at OptimismPortal. specs: protocol/withdrawals.md */
import { concatBytes, type Hash, hexToBytes, keccak256Hash, type Log, toHash } from '@keelson/primitives'
import { decodeParameters, decodeUint } from './abi/abi-decode.ts'
import { encodeCall, eventTopic } from './abi/abi-encode.ts'
import type { AbiValue } from './abi/abi-type.ts'
import type { Withdrawal } from './withdrawal.ts'

const WITHDRAWAL_FINALIZED_TOPIC: Hash = eventTopic('WithdrawalFinalized(bytes32,bool)')

export const PORTAL_PAUSED_CALL = encodeCall('paused()')

/** Preimage of an output root, after the version. */
export interface OutputRootProof {
  readonly stateRoot: Hash
  readonly messagePasserStorageRoot: Hash
  readonly blockHash: Hash
}

export interface WithdrawalProof {
  readonly outputIndex: bigint
  readonly output: OutputRootProof
  /** From the message passer's storage root to the withdrawal's slot. */
  readonly nodes: readonly Uint8Array[]
}

const WITHDRAWAL_TUPLE = '(uint256,address,address,uint256,uint256,bytes)'

function asTuple({ nonce, sender, target, valueWei, gasLimit, data }: Withdrawal): readonly AbiValue[] {
  return [nonce, sender, target, valueWei, gasLimit, data]
}

/** Slot of a withdrawal in the message passer; its value is 1. */
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

/** Callable by anyone after the challenge period. */
export function encodeFinalizeWithdrawal(withdrawal: Withdrawal): Uint8Array {
  return encodeCall(`finalizeWithdrawalTransaction(${WITHDRAWAL_TUPLE})`, [asTuple(withdrawal)])
}

export function encodeProvenWithdrawals(hash: Hash): Uint8Array {
  return encodeCall('provenWithdrawals(bytes32)', [hash])
}

export interface ProvenWithdrawal {
  readonly outputRoot: Hash
  /** L1 time of the proof. */
  readonly timestampSec: number
  readonly outputIndex: bigint
}

/** Returns null when the withdrawal is not proven. */
export function decodeProvenWithdrawal(data: Uint8Array): ProvenWithdrawal | null {
  const [root, timestamp, outputIndex] = decodeParameters('bytes32,uint128,uint128', data) as [Uint8Array, bigint, bigint]
  return timestamp === 0n ? null : { outputRoot: toHash(root), timestampSec: Number(timestamp), outputIndex }
}

/** True even when the withdrawal's call failed. */
export function encodeFinalizedWithdrawals(hash: Hash): Uint8Array {
  return encodeCall('finalizedWithdrawals(bytes32)', [hash])
}

export function decodeBool(data: Uint8Array): boolean {
  return decodeUint(data) === 1n
}

export interface WithdrawalFinalized {
  readonly withdrawalHash: Hash
  /** Result of the withdrawal's call. */
  readonly succeeded: boolean
}

export function findWithdrawalFinalized(log: Log): WithdrawalFinalized | null {
  const [topic, withdrawalHash] = log.topics
  if (topic !== WITHDRAWAL_FINALIZED_TOPIC || withdrawalHash === undefined || log.data.length !== 32) return null
  return { withdrawalHash, succeeded: decodeBool(log.data) }
}
