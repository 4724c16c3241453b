/** GetReceipts and Receipts: devp2p caps/eth.md, and from eth/70 on EIP-7975. */
import { CodecError, type Hash, type RlpInput, rlpBigint, rlpEncode, rlpEncodeList, rlpNumber } from '@keelson/primitives'
import { rlpString } from '../bounded-rlp.ts'
import { rawItems } from '../raw-list.ts'
import type { Identified } from '../requests/identified.ts'
import { decodeHashes, type EthVersion, hashesToRlp } from './eth-messages.ts'

export interface ReceiptsQuery {
  readonly hashes: readonly Hash[]
  /** Index of the first receipt that is wanted of the first block. Before eth/70 it is 0. */
  readonly firstIndex: number
}

export interface ReceiptsPage {
  /** RLP, a list of receipts for each block. */
  readonly lists: readonly Uint8Array[]
  /** Receipts are missing at the end of the last list. Before eth/70 it is false. */
  readonly lastIncomplete: boolean
}

export function hasPartialReceipts(version: EthVersion): boolean {
  return version >= 70
}

/** The fields after the request id. */
export function receiptsQueryToRlp(version: EthVersion, { hashes, firstIndex }: ReceiptsQuery): readonly RlpInput[] {
  return hasPartialReceipts(version) ? [firstIndex, hashesToRlp(hashes)] : [hashesToRlp(hashes)]
}

/** Throws CodecError. */
export function decodeReceiptsQuery(version: EthVersion, [first, second]: Identified['fields']): ReceiptsQuery {
  if (!hasPartialReceipts(version)) return { hashes: decodeHashes(first), firstIndex: 0 }
  if (second === undefined) throw new CodecError('codec/rlp', 'request for receipts without hashes')
  return { hashes: decodeHashes(second), firstIndex: rlpNumber(rlpString(first), 'first receipt') }
}

export function encodeReceiptsPage(version: EthVersion, id: bigint, { lists, lastIncomplete }: ReceiptsPage): Uint8Array {
  const flag = hasPartialReceipts(version) ? [rlpEncode(lastIncomplete ? 1 : 0)] : []
  return rlpEncodeList([rlpEncode(id), ...flag, rlpEncodeList(lists)])
}

/** Throws CodecError, also for more than `maxLists`. */
export function decodeReceiptsPage(version: EthVersion, [first, second]: Identified['fields'], maxLists: number): ReceiptsPage {
  const read = (list: Uint8Array) => rawItems(list, maxLists, 'receipts')
  if (!hasPartialReceipts(version)) return { lists: read(first), lastIncomplete: false }
  if (second === undefined) throw new CodecError('codec/rlp', 'receipts without a list')
  const flag = rlpBigint(rlpString(first), 'last block incomplete', 1)
  if (flag > 1n) throw new CodecError('codec/rlp', `last block incomplete: expected 0 or 1, got ${flag}`)
  return { lists: read(second), lastIncomplete: flag === 1n }
}
