/** Channels, batcher transactions, blobs, span batches and L1 info, as other implementations wrote them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  decodeBatcherTransaction,
  decodeL1Info,
  encodeBatcherTransaction,
  encodeL1Info,
  l1InfoDeposit,
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
  isDeposit,
  keccak256Hash,
  recoverSender,
  rlpDecodeFirst,
} from '@keelson/primitives'
import { decompress } from '../../../packages/node/src/crypto/compression.ts'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { type BlobCodecVector, beaconCases, blobCodecCase, type Sidecar } from './op-derivation-blobs.ts'
import { type SpanFieldVector, singularToSpanCase, spanFieldCase } from './op-derivation-span-batch.ts'

const RULES = { maxRlpBytesPerChannel: 100_000_000, maxSpanBatchElements: 10_000_000, brotliChannels: true }

/** Batches of a channel; fails when it does not end cleanly. */
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
      // a stream cut off without its trailer ends here, with every batch before that read
      assert.equal(next.reason, 'channel-corrupt', next.message)
      return batches
    }
  }
}

interface ChannelVector {
  readonly kind: string
  readonly compressed: string
  readonly decompressed?: string
  readonly expect?:
    | string
    | {
        readonly decompressedLength: number
        readonly batches: number
        readonly versions: readonly number[]
        readonly keccakOfDecompressed: string
      }
}

const CHANNEL_CHECKS: Readonly<Record<string, (vector: ChannelVector) => void>> = {
  'brotli-batch.json'(vector) {
    const { output, end } = runScan(decompress('brotli', hexToBytes(vector.compressed), RULES.maxRlpBytesPerChannel))
    assert.equal(end, 'complete')
    assert.equal(bytesToHex(output), vector.decompressed)
  },
  'hildr-brotli9-channel.json'(vector) {
    assert.deepEqual(
      batchesOf(hexToBytes(vector.compressed)).map((wire) => wire.kind),
      ['singular'],
    )
  },
  'kona-batch-zlib.json.gz'(vector) {
    assert.ok(typeof vector.expect === 'object')
    const data = hexToBytes(vector.compressed)
    const { output } = runScan(decompress('zlib', data, RULES.maxRlpBytesPerChannel))
    assert.equal(output.length, vector.expect.decompressedLength)
    assert.equal(keccak256Hash(output), vector.expect.keccakOfDecompressed)
    const kinds = batchesOf(data).map((wire) => (wire.kind === 'span' ? 1 : 0))
    assert.deepEqual(kinds, vector.expect.versions)
  },
  'op-goerli-singular-channel.json'(vector) {
    const data = hexToBytes(vector.compressed)
    // the length that the group's README gives
    assert.equal(runScan(decompress('zlib', data, RULES.maxRlpBytesPerChannel)).output.length, 6958)
    const batches = batchesOf(data)
    assert.ok(batches.length > 0)
    assert.ok(batches.every((wire) => wire.kind === 'singular'))
  },
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

interface SignedBatcherTx {
  readonly rawTx: string
  readonly expect: ExpectedFrames & { readonly batcher: string; readonly batchInbox: string; readonly calldataLength: number }
}
interface BatcherCalldata {
  readonly data: string
  readonly expect: ExpectedFrames & { readonly decompressedLength: number; readonly batches: number; readonly batchVersion: number }
}

function batcherTxCases(read: (file: string) => unknown): ConformanceCase[] {
  const signed = read('batcher-tx/kona-raw-batcher-tx.json') as SignedBatcherTx
  const calldata = read('batcher-tx/op-sepolia-span-batch.json') as BatcherCalldata
  return [
    {
      id: 'batcher-tx/kona-raw-batcher-tx',
      run() {
        const tx = decodeTransaction(hexToBytes(signed.rawTx))
        const sender = recoverSender(tx, createPureCrypto())
        assert.equal(sender && bytesToHex(sender), signed.expect.batcher)
        assert.equal(tx.to && bytesToHex(tx.to), signed.expect.batchInbox)
        assert.equal(tx.data.length, signed.expect.calldataLength)
        assert.ok(batchesOf(checkFrames(tx.data, signed.expect)).length > 0)
      },
    },
    {
      id: 'batcher-tx/op-sepolia-span-batch',
      run() {
        const channel = checkFrames(hexToBytes(calldata.data), calldata.expect)
        const { output } = runScan(decompress('zlib', channel, RULES.maxRlpBytesPerChannel))
        assert.equal(output.length, calldata.expect.decompressedLength)
        assert.equal(rlpDecodeFirst(output).end, output.length)
        const batches = batchesOf(channel)
        assert.equal(batches.length, calldata.expect.batches)
        assert.equal(batches[0]?.kind === 'span' ? 1 : 0, calldata.expect.batchVersion)
      },
    },
  ]
}

interface L1InfoVector {
  readonly fork?: string
  readonly calldata?: string
  readonly expected?: Readonly<Record<string, string | number>>
  readonly rawDepositTx?: string
}

function l1InfoCase(file: string, vector: L1InfoVector): ConformanceCase {
  return {
    id: `l1-info/${file}`,
    run() {
      if (vector.rawDepositTx !== undefined) {
        const tx = decodeTransaction(hexToBytes(vector.rawDepositTx))
        assert.ok(isDeposit(tx))
        assert.equal(bytesToHex(l1InfoDeposit(decodeL1Info(tx.data), true).raw), vector.rawDepositTx)
        return
      }
      assert.ok(vector.calldata && vector.expected)
      const info = decodeL1Info(hexToBytes(vector.calldata))
      assert.equal(info.format, vector.fork)
      const names: Readonly<Record<string, string | number>> = {
        number: info.number,
        time: info.timestampSec,
        baseFee: Number(info.baseFeeWei),
        blockHash: info.hash,
        sequenceNumber: info.sequenceNumber,
        batcherAddress: info.batcherAddress,
        blobBaseFee: Number(info.blobBaseFeeWei),
        blobBaseFeeScalar: info.blobBaseFeeScalar,
        baseFeeScalar: info.baseFeeScalar,
        operatorFeeScalar: info.operatorFeeScalar,
        operatorFeeConstant: Number(info.operatorFeeConstant),
      }
      for (const [name, value] of Object.entries(vector.expected)) assert.equal(names[name], value, name)
      assert.equal(bytesToHex(encodeL1Info(info)), vector.calldata)
    },
  }
}

/** Format samples only: their transactions are real encodings, the rest is filler. */
function formatSampleCase(fixture: { readonly l1Blocks: readonly { readonly transactions: readonly string[] }[] }): ConformanceCase {
  return {
    id: 'op-tests-format/derivation_fixture',
    run() {
      const raws = fixture.l1Blocks.flatMap((block) => block.transactions)
      assert.ok(raws.length > 0)
      for (const raw of raws) assert.equal(bytesToHex(decodeTransaction(hexToBytes(raw)).raw), raw)
    },
  }
}

export const opDerivation: ConformanceGroup = {
  name: 'op-derivation',
  load(directory) {
    const root = join(directory, 'op-derivation')
    const read = (file: string): unknown => {
      const bytes = readFileSync(join(root, file))
      return JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'))
    }
    const list = (folder: string, prefix = ''): string[] =>
      readdirSync(join(root, folder)).filter((name) => name.startsWith(prefix) && /\.json(\.gz)?$/.test(name))
    const beacon = (file: string) => (read(`blobs/${file}`) as { response: never }).response
    return [
      ...Object.entries(CHANNEL_CHECKS).map(([file, check]) => {
        const vector = read(`channels/${file}`) as ChannelVector
        return { id: `channels/${file}`, run: () => check(vector) }
      }),
      ...batcherTxCases(read),
      ...list('l1-info').map((file) => l1InfoCase(file, read(`l1-info/${file}`) as L1InfoVector)),
      ...list('span-batch/fields').map((file) => spanFieldCase(file, read(`span-batch/fields/${file}`) as SpanFieldVector)),
      singularToSpanCase(read('span-batch/singular-batches.json') as { l2BlockTime: number; batches: string[] }),
      ...list('blobs', 'codec-').map((file) => blobCodecCase(file, read(`blobs/${file}`) as BlobCodecVector)),
      ...beaconCases({
        genesis: beacon('eth_v1_beacon_genesis_goerli.json'),
        spec: beacon('eth_v1_config_spec_goerli.json'),
        sidecars: list('blobs', 'goerli-').map((file) => (read(`blobs/${file}`) as { sidecar: Sidecar }).sidecar),
      }),
      formatSampleCase(read('op-tests-format/derivation_fixture.json') as never),
    ]
  },
}
