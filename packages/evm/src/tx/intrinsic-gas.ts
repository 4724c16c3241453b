/** Yellow paper section 6.2; EIPs 2028, 2930, 3860, 7623, 7702 */
import type { EthParameters } from '@keelson/chainspec'
import { accessListOf, type DepositTransaction, type Transaction, type UnsignedTransaction } from '@keelson/primitives'

const TRANSACTION_GAS = 21_000n
const ZERO_BYTE_GAS = 4n
const ACCESS_LIST_ADDRESS_GAS = 2400n
const ACCESS_LIST_SLOT_GAS = 1900n
const AUTHORIZATION_GAS = 25_000n
const TOKENS_PER_NON_ZERO_BYTE = 4n
const WORD_BYTES = 32

export interface IntrinsicGas {
  readonly gas: bigint
  readonly floor: bigint
}

type Priced = Pick<UnsignedTransaction | DepositTransaction, 'to' | 'data' | 'type'>

export function intrinsicGas(tx: Priced, eth: EthParameters): IntrinsicGas {
  const { data } = tx
  let zeroes = 0
  for (const byte of data) if (byte === 0) zeroes++
  const zeroBytes = BigInt(zeroes)
  const otherBytes = BigInt(data.length - zeroes)
  let gas = (tx.to === null ? eth.createTransactionGas : TRANSACTION_GAS) + zeroBytes * ZERO_BYTE_GAS + otherBytes * eth.nonZeroDataByteGas
  if (tx.to === null) gas += eth.initCodeWordGas * BigInt(Math.ceil(data.length / WORD_BYTES))
  for (const entry of accessListOf(tx as Transaction)) {
    gas += ACCESS_LIST_ADDRESS_GAS + ACCESS_LIST_SLOT_GAS * BigInt(entry.slots.length)
  }
  if ('authorizationList' in tx) gas += AUTHORIZATION_GAS * BigInt((tx.authorizationList as readonly unknown[]).length)
  const floor =
    eth.floorGasPerToken === null ? 0n : TRANSACTION_GAS + eth.floorGasPerToken * (zeroBytes + TOKENS_PER_NON_ZERO_BYTE * otherBytes)
  return { gas, floor }
}
