import assert from 'node:assert/strict'
import {
  decodeBatcherTransaction,
  encodeBatcherTransaction,
  openChannel,
  runScan,
  unpackBatch,
  type WireBatch,
} from '@keelson/derivation/codec'
import {
  bytesToHex,
  createPureCrypto,
  decodeTransaction,
  hexToBytes,
  isSigned,
  keccak256Hash,
  recoverSender,
  rlpDecodeFirst,
} from '@keelson/primitives'
import { decompress } from '../../../packages/node/src/crypto/compression.ts'
import type { ConformanceCase } from '../group.ts'

const RULES = { maxRlpBytesPerChannel: 100_000_000, maxSpanBatchElements: 10_000_000, brotliChannels: true }

function batchesOf(data: Uint8Array): WireBatch[] {
  const opened = openChannel(data, RULES, { decompress })
  assert.ok(opened.ok, 'reason' in opened ? opened.reason : '')
  const batches: WireBatch[] = []
  for (;;) {
    const next = opened.batches.next()
    if (next.kind === 'again') continue
    if (next.kind === 'batch') batches.push(unpackBatch(next.batch))
    else if (next.kind === 'end') return batches
    else {
      // A stream without its trailer ends here, after valid batches.
      assert.equal(next.reason, 'channel-corrupt', next.message)
      return batches
    }
  }
}

export interface ChannelVector {
  readonly kind: string
  readonly compressed: string
  readonly compression?: string
  readonly decompressed?: string
  readonly expect?:
    | string
    | {
        readonly decompressedLength?: number
        readonly batches?: number
        readonly versions?: readonly number[]
        readonly keccakOfDecompressed?: string
      }
}

const BROTLI_VERSION = 1

function checkBrotli({ compressed, decompressed }: ChannelVector): void {
  const { output, end } = runScan(decompress('brotli', hexToBytes(compressed), RULES.maxRlpBytesPerChannel))
  assert.equal(end, 'complete')
  assert.equal(bytesToHex(output), decompressed)
}

function checkChannel({ compressed, compression, expect }: ChannelVector): void {
  const data = hexToBytes(compressed)
  assert.equal(compression, data[0] === BROTLI_VERSION ? 'brotli' : 'zlib')
  const versions = batchesOf(data).map(({ kind }) => (kind === 'span' ? 1 : 0))
  assert.ok(versions.length > 0, 'no batch in this channel')
  if (typeof expect === 'string') {
    assert.match(expect, /all batches are version 0/, 'no check is known for this expectation')
    assert.ok(versions.every((version) => version === 0))
  }
  if (typeof expect !== 'object') return
  const packed = data[0] === BROTLI_VERSION ? data.subarray(1) : data
  const { output } = runScan(decompress(data[0] === BROTLI_VERSION ? 'brotli' : 'zlib', packed, RULES.maxRlpBytesPerChannel))
  assert.deepEqual(
    {
      ...expect,
      ...(expect.versions === undefined ? {} : { versions }),
      ...(expect.batches === undefined ? {} : { batches: versions.length }),
    },
    expect,
  )
  if (expect.decompressedLength !== undefined) assert.equal(output.length, expect.decompressedLength)
  if (expect.keccakOfDecompressed !== undefined) assert.equal(keccak256Hash(output), expect.keccakOfDecompressed)
}

export function channelCase(id: string, vector: ChannelVector): ConformanceCase {
  return { id, run: () => (vector.kind === 'brotli' ? checkBrotli(vector) : checkChannel(vector)) }
}

interface ExpectedFrames {
  readonly frames: readonly { readonly channelId: string; readonly number: number; readonly length: number; readonly isLast: boolean }[]
}

function checkFrames(data: Uint8Array, expected: ExpectedFrames): Uint8Array {
  const frames = decodeBatcherTransaction(data)
  assert.deepEqual(
    frames.map(({ channelId, number, data, isLast }) => ({ channelId, number, length: data.length, isLast })),
    expected.frames,
  )
  assert.deepEqual(encodeBatcherTransaction(frames), data)
  return frames[0]?.data ?? new Uint8Array()
}

export interface SignedBatcherTx {
  readonly rawTx: string
  readonly expect: ExpectedFrames & { readonly batcher: string; readonly batchInbox: string; readonly calldataLength: number }
}
export interface BatcherCalldata {
  readonly data: string
  readonly expect: ExpectedFrames & { readonly decompressedLength: number; readonly batches: number; readonly batchVersion: number }
}

function checkSigned({ rawTx, expect }: SignedBatcherTx): void {
  const tx = decodeTransaction(hexToBytes(rawTx))
  assert.ok(isSigned(tx))
  const sender = recoverSender(tx, createPureCrypto())
  assert.equal(sender && bytesToHex(sender), expect.batcher)
  assert.equal(tx.to && bytesToHex(tx.to), expect.batchInbox)
  assert.equal(tx.data.length, expect.calldataLength)
  assert.ok(batchesOf(checkFrames(tx.data, expect)).length > 0)
}

function checkCalldata({ data, expect }: BatcherCalldata): void {
  const channel = checkFrames(hexToBytes(data), expect)
  const { output } = runScan(decompress('zlib', channel, RULES.maxRlpBytesPerChannel))
  assert.equal(output.length, expect.decompressedLength)
  assert.equal(rlpDecodeFirst(output).end, output.length)
  const batches = batchesOf(channel)
  assert.equal(batches.length, expect.batches)
  for (const { kind } of batches) assert.equal(kind === 'span' ? 1 : 0, expect.batchVersion)
}

export function batcherTxCase(id: string, vector: SignedBatcherTx | BatcherCalldata): ConformanceCase {
  return { id, run: () => ('rawTx' in vector ? checkSigned(vector) : checkCalldata(vector)) }
}
