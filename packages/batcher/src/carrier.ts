/** A channel's bytes to L1 transactions: in calldata or in blobs, whichever is asked for or cheaper. */
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
import type { L1Prices, L1Transaction } from './ports.ts'

export type Carrier = 'calldata' | 'blobs'

/** In front of the frames of a batcher transaction. */
const VERSION_BYTES = 1
/** EIP-7623: what a byte of compressed data costs at most, when nothing else in the transaction does. */
const GAS_PER_CALLDATA_BYTE = 40n
const TRANSACTION_GAS = 21_000n
const GAS_PER_BLOB = 131_072n

export function maxFrameBytes(carrier: Carrier, options: Pick<BatcherOptions, 'maxCalldataBytes'>): number {
  return (carrier === 'blobs' ? MAX_BLOB_DATA_BYTES : options.maxCalldataBytes) - VERSION_BYTES
}

/** Blobs only where the chain reads them. */
export async function chooseCarrier(
  options: Pick<BatcherOptions, 'dataAvailability' | 'maxCalldataBytes'>,
  blobsAllowed: boolean,
  channelBytes: number,
  prices: L1Prices | null,
): Promise<Carrier> {
  if (!blobsAllowed || options.dataAvailability === 'calldata') return 'calldata'
  if (options.dataAvailability === 'blobs' || prices === null) return 'blobs'
  const { baseFeeWei, tipWei, blobBaseFeeWei } = await prices.feeQuote(true)
  if (blobBaseFeeWei === null) return 'calldata'
  const gasPriceWei = baseFeeWei + tipWei
  const pieces = (carrier: Carrier) => BigInt(Math.max(1, Math.ceil(channelBytes / maxFrameBytes(carrier, options))))
  const calldataWei = (pieces('calldata') * TRANSACTION_GAS + BigInt(channelBytes) * GAS_PER_CALLDATA_BYTE) * gasPriceWei
  const blobsWei = TRANSACTION_GAS * gasPriceWei + pieces('blobs') * GAS_PER_BLOB * blobBaseFeeWei
  return blobsWei < calldataWei ? 'blobs' : 'calldata'
}

/** In the order in which they must reach L1. */
export function toTransactions(
  channelId: ChannelId,
  channel: Uint8Array,
  carrier: Carrier,
  options: Pick<BatcherOptions, 'maxCalldataBytes' | 'maxFramesPerTransaction'>,
  inbox: Address,
): L1Transaction[] {
  const frames = splitIntoFrames(channelId, channel, maxFrameBytes(carrier, options))
  const label = (of: readonly Frame[]) => `channel ${channelId} frames ${of[0]?.number}-${of[of.length - 1]?.number}`
  if (carrier === 'calldata') {
    return frames.map((frame) => ({ to: inbox, data: encodeBatcherTransaction([frame]), label: label([frame]) }))
  }
  const transactions: L1Transaction[] = []
  for (let from = 0; from < frames.length; from += options.maxFramesPerTransaction) {
    const group = frames.slice(from, from + options.maxFramesPerTransaction)
    const blobs = group.map((frame) => encodeBlob(encodeBatcherTransaction([frame])))
    transactions.push({ to: inbox, data: new Uint8Array(0), blobs, label: label(group) })
  }
  return transactions
}
