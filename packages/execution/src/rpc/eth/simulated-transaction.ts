/** Simulated transactions have a zero signature. */
import {
  type Bytes20,
  bytesToHex,
  effectiveGasPriceWei,
  encodeSignedTransaction,
  formatQuantity,
  keccak256Hash,
  rlpEncode,
  type SignedTransaction,
  TX_LEGACY,
  type UnsignedTransaction,
} from '@keelson/primitives'
import type { SealedHeader } from '../../chain/chain-reader.ts'
import { type Json, signedToJson } from '../block-json.ts'

const UNSIGNED = { yParity: 0, r: 0n, s: 0n } as const

export function simulatedTransaction(tx: UnsignedTransaction): SignedTransaction {
  if (tx.type !== TX_LEGACY) return encodeSignedTransaction(tx, UNSIGNED)
  const raw = rlpEncode([tx.nonce, tx.gasPriceWei, tx.gasLimit, tx.to ?? new Uint8Array(0), tx.valueWei, tx.data, 0, 0, 0])
  return { ...tx, raw, hash: keccak256Hash(raw), signature: UNSIGNED }
}

export function simulatedTransactionToJson(tx: SignedTransaction, from: Bytes20, block: SealedHeader, index: number): Json {
  return {
    blockHash: block.hash,
    blockNumber: formatQuantity(block.header.number),
    blockTimestamp: formatQuantity(block.header.timestampSec),
    from: bytesToHex(from),
    hash: tx.hash,
    transactionIndex: formatQuantity(index),
    ...signedToJson(tx),
    ...(tx.type === TX_LEGACY ? { v: '0x0' } : {}),
    gasPrice: formatQuantity(effectiveGasPriceWei(tx, block.header.baseFeeWei ?? 0n)),
  }
}
