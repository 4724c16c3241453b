/** Fields are stored in columns, which compress better. protocol/delta/span-batches.md#span-batch-format */
import { type Bytes20, concatBytes, rlpEndOfFirst, TX_LEGACY } from '@keelson/primitives'
import type { ByteReader } from '../bytes/byte-reader.ts'
import { concatList } from '../bytes/concat-list.ts'
import { encodeUvarint } from '../bytes/uvarint.ts'
import { type Bits, countBits, encodeBitlist, readBitlist } from './bitlist.ts'
import { splitTransaction } from './span-batch-tx.ts'

/** op-node (span_batch.go, `ReadTxData`) and kona reject longer data; the specification has no limit. */
export const MAX_TX_DATA_BYTES = 10_000_000

export interface SpanBatchTxs {
  readonly contractCreationBits: Bits
  readonly yParityBits: Bits
  readonly signatures: readonly Uint8Array[]
  readonly tos: readonly Bytes20[]
  readonly datas: readonly Uint8Array[]
  readonly nonces: readonly bigint[]
  readonly gases: readonly bigint[]
  readonly protectedBits: Bits
}

export function encodeSpanBatchTxs(txs: SpanBatchTxs): Uint8Array {
  return concatList([
    encodeBitlist(txs.contractCreationBits),
    encodeBitlist(txs.yParityBits),
    ...txs.signatures,
    ...txs.tos,
    ...txs.datas,
    ...txs.nonces.map(encodeUvarint),
    ...txs.gases.map(encodeUvarint),
    encodeBitlist(txs.protectedBits),
  ])
}

/** Checks the layout only. Throws CodecError. */
export function readSpanBatchTxs(reader: ByteReader, count: number): SpanBatchTxs {
  const contractCreationBits = readBitlist(reader, count, 'contract creation bits')
  const yParityBits = readBitlist(reader, count, 'y parity bits')
  const signatures = readSignatures(reader, count)
  const tos = readTos(reader, contractCreationBits)
  const datas = readTxDatas(reader, count)
  const nonces = readUvarints(reader, count, 'nonce')
  const gases = readUvarints(reader, count, 'gas limit')
  const legacyCount = datas.reduce((sum, data) => sum + (typeOf(data) === TX_LEGACY ? 1 : 0), 0)
  const protectedBits = readBitlist(reader, legacyCount, 'protected bits')
  return { contractCreationBits, yParityBits, signatures, tos, datas, nonces, gases, protectedBits }
}

export function readSignatures(reader: ByteReader, count: number): Uint8Array[] {
  const out: Uint8Array[] = []
  for (let i = 0; i < count; i++) out.push(reader.bytes(64, 'signature'))
  return out
}

export function readTos(reader: ByteReader, contractCreationBits: Bits): Bytes20[] {
  const out: Bytes20[] = []
  for (let i = contractCreationBits.length - countBits(contractCreationBits); i > 0; i--) out.push(reader.bytes(20, 'to'))
  return out
}

export function readTxDatas(reader: ByteReader, count: number): Uint8Array[] {
  const out: Uint8Array[] = []
  for (let i = 0; i < count; i++) out.push(readTxData(reader))
  return out
}

export function readTxData(reader: ByteReader): Uint8Array {
  const rest = reader.rest()
  const typed = reader.peek('transaction data') <= 0x7f ? 1 : 0
  // Only the header: a bad item drops the span later, but not its channel (op-node: span_batch.go, `ReadTxData`).
  const end = rlpEndOfFirst(rest, typed)
  if ((rest[typed] as number) < 0xc0) reader.fail('transaction data must be an RLP list')
  if (end - typed > MAX_TX_DATA_BYTES) {
    reader.fail(`transaction data of ${end - typed} bytes in a span batch, at most ${MAX_TX_DATA_BYTES}`)
  }
  return reader.bytes(end, 'transaction data')
}

export function readUvarints(reader: ByteReader, count: number, what: string): bigint[] {
  const out: bigint[] = []
  for (let i = 0; i < count; i++) out.push(reader.uvarint(what))
  return out
}

export function typeOf(data: Uint8Array): number {
  const first = data[0] as number
  return first <= 0x7f ? first : TX_LEGACY
}

/** Throws CodecError for a transaction that a span batch cannot hold. */
export function splitSpanBatchTxs(raws: readonly Uint8Array[], chainId: bigint): SpanBatchTxs {
  const txs = raws.map((raw) => splitTransaction(raw, chainId))
  return {
    contractCreationBits: Uint8Array.from(txs, (tx) => (tx.to === null ? 1 : 0)),
    yParityBits: Uint8Array.from(txs, (tx) => tx.yParity),
    signatures: txs.map((tx) => concatBytes(tx.r, tx.s)),
    tos: txs.flatMap((tx) => (tx.to === null ? [] : [tx.to])),
    datas: txs.map((tx) => tx.data),
    nonces: txs.map((tx) => tx.nonce),
    gases: txs.map((tx) => tx.gasLimit),
    protectedBits: Uint8Array.from(
      txs.filter((tx) => tx.type === TX_LEGACY),
      (tx) => (tx.isProtected ? 1 : 0),
    ),
  }
}
