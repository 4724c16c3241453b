import type { L1TransactionRules } from '@keelson/chainspec'
import {
  type ChannelId,
  encodeBatcherTransaction,
  encodeBlob,
  type Frame,
  MAX_BLOB_DATA_BYTES,
  splitIntoFrames,
} from '@keelson/derivation/codec'
import type { Address } from '@keelson/primitives'
import type { BatcherOptions } from './options.ts'
import type { L1FeeQuote, L1Transaction } from './ports.ts'

export type Carrier = 'calldata' | 'blobs'

const VERSION_BYTES = 1
const GAS_PER_BLOB = 131_072n
const ZERO_BYTES_IN = 256

export type CarrierLimits = Pick<BatcherOptions, 'maxCalldataBytes' | 'maxFramesPerTransaction'>

/** Lowers the operator's limits to L1's gas limit per transaction (EIP-7825 with EIP-7976). */
export function limitsOn<T extends CarrierLimits>(rules: L1TransactionRules, limits: T): T {
  if (rules.maxTransactionGas === null) return limits
  const most = Number((rules.maxTransactionGas - rules.transactionGas) / rules.nonZeroByteGas)
  return most < limits.maxCalldataBytes ? { ...limits, maxCalldataBytes: most } : limits
}

export function maxFrameBytes(carrier: Carrier, options: Pick<BatcherOptions, 'maxCalldataBytes'>): number {
  return (carrier === 'blobs' ? MAX_BLOB_DATA_BYTES : options.maxCalldataBytes) - VERSION_BYTES
}

export interface CarrierCosts {
  readonly calldataWei: bigint
  readonly blobsWei: bigint | null
}

/** Includes the calldata floor of EIP-7623 or EIP-7976. Zero bytes are estimated from the length. */
export function carrierCosts(
  channel: Uint8Array | number,
  quote: L1FeeQuote,
  rules: L1TransactionRules,
  limits: CarrierLimits,
): CarrierCosts {
  const length = typeof channel === 'number' ? channel : channel.length
  const zeros =
    typeof channel === 'number' ? Math.floor(length / ZERO_BYTES_IN) : channel.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0)
  const gasPriceWei = quote.baseFeeWei + quote.tipWei
  const pieces = (carrier: Carrier) => Math.max(1, Math.ceil(length / maxFrameBytes(carrier, limitsOn(rules, limits))))
  const byteGas = BigInt(zeros) * rules.zeroByteGas + BigInt(length - zeros) * rules.nonZeroByteGas
  const calldataWei = (BigInt(pieces('calldata')) * rules.transactionGas + byteGas) * gasPriceWei
  const perTransaction = blobsPerTransaction(rules, limits)
  if (quote.blobBaseFeeWei === null || perTransaction === 0) return { calldataWei, blobsWei: null }
  const transactions = BigInt(Math.ceil(pieces('blobs') / perTransaction))
  return {
    calldataWei,
    blobsWei: transactions * rules.transactionGas * gasPriceWei + BigInt(pieces('blobs')) * GAS_PER_BLOB * quote.blobBaseFeeWei,
  }
}

export function cheaperCarrier({ calldataWei, blobsWei }: CarrierCosts): Carrier {
  return blobsWei !== null && blobsWei <= calldataWei ? 'blobs' : 'calldata'
}

/** Returns 0 if L1 has no blobs. */
export function blobsPerTransaction(rules: L1TransactionRules, limits: Pick<CarrierLimits, 'maxFramesPerTransaction'>): number {
  return Math.min(rules.maxBlobsPerTransaction, limits.maxFramesPerTransaction)
}

/** Returns the transactions in the order in which they must reach L1. */
export function toTransactions(
  channelId: ChannelId,
  channel: Uint8Array,
  carrier: Carrier,
  limits: CarrierLimits,
  inbox: Address,
): L1Transaction[] {
  const frames = splitIntoFrames(channelId, channel, maxFrameBytes(carrier, limits))
  const label = (of: readonly Frame[]) => `channel ${channelId} frames ${of[0]?.number}-${of[of.length - 1]?.number}`
  if (carrier === 'calldata') {
    return frames.map((frame) => ({ to: inbox, data: encodeBatcherTransaction([frame]), label: label([frame]) }))
  }
  const transactions: L1Transaction[] = []
  for (let from = 0; from < frames.length; from += limits.maxFramesPerTransaction) {
    const group = frames.slice(from, from + limits.maxFramesPerTransaction)
    const blobs = group.map((frame) => encodeBlob(encodeBatcherTransaction([frame])))
    transactions.push({ to: inbox, data: new Uint8Array(0), blobs, label: label(group) })
  }
  return transactions
}
