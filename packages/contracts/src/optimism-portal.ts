/** Deposits of OptimismPortal. specs: protocol/deposits.md#deposit-contract */
import { type Address, bytesToBigint, type Hash, type Log, toAddress } from '@keelson/primitives'
import { decodeParameters } from './abi/abi-decode.ts'
import { encodeCall, eventTopic } from './abi/abi-encode.ts'
import { ContractError } from './contract-error.ts'

export const TRANSACTION_DEPOSITED_TOPIC: Hash = eventTopic('TransactionDeposited(address,address,uint256,bytes)')

export interface DepositRequest {
  readonly to: Address
  readonly valueWei: bigint
  readonly gasLimit: bigint
  readonly isCreation: boolean
  readonly data: Uint8Array
}

/** The portal rejects deposits with less L2 gas. */
export function minimumDepositGas(data: Uint8Array): bigint {
  return BigInt(data.length) * 16n + 21_000n
}

/** Mints the transaction's value on L2. */
export function encodeDepositTransaction(request: DepositRequest): Uint8Array {
  const { to, valueWei, gasLimit, isCreation, data } = request
  return encodeCall('depositTransaction(address,uint256,uint64,bool,bytes)', [to, valueWei, gasLimit, isCreation, data])
}

export interface TransactionDeposited extends DepositRequest {
  readonly from: Address
  readonly version: bigint
  readonly mintWei: bigint
}

const OPAQUE_HEAD_BYTES = 32 + 32 + 8 + 1

/** Null for another event or malformed data. */
export function findTransactionDeposited(log: Log): TransactionDeposited | null {
  const [topic, from, to, version] = log.topics
  if (topic !== TRANSACTION_DEPOSITED_TOPIC || !from || !to || !version) return null
  const opaque = findOpaqueData(log.data)
  if (opaque === null) return null
  return {
    from: toAddress(`0x${from.slice(26)}`),
    to: toAddress(`0x${to.slice(26)}`),
    version: BigInt(version),
    mintWei: bytesToBigint(opaque.subarray(0, 32)),
    valueWei: bytesToBigint(opaque.subarray(32, 64)),
    gasLimit: bytesToBigint(opaque.subarray(64, 72)),
    isCreation: opaque[72] === 1,
    data: opaque.subarray(OPAQUE_HEAD_BYTES),
  }
}

function findOpaqueData(data: Uint8Array): Uint8Array | null {
  try {
    const opaque = decodeParameters('bytes', data)[0] as Uint8Array
    return opaque.length < OPAQUE_HEAD_BYTES ? null : opaque
  } catch (error) {
    if (error instanceof ContractError) return null
    throw error
  }
}
