import assert from 'node:assert/strict'
import {
  DEPOSIT_EVENT_TOPIC,
  decodeBatch,
  decodeBatcherTransaction,
  decodeBlob,
  decodeDepositLog,
  decodeExtraData,
  decodeL1Info,
  deriveSpanBatch,
  encodeBatch,
  encodeBatcherTransaction,
  encodeBlob,
  encodeChannel,
  encodeL1Info,
  type Frame,
  openChannel,
  unpackBatch,
  type WireBatch,
} from '@keelson/derivation'
import { bigintToBytes, concatBytes, NodeError, toAddress, ZERO_HASH } from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'
import { compress, decompress } from '../../../packages/node/src/crypto/compression.ts'
import { brokenBytes } from '../mutate.ts'
import { defineSubject } from '../subject.ts'
import { bytesOf } from '../transactions.ts'
import { batcherFrames, lagoonBatch, SPAN_CHAIN } from '../wire-batches.ts'

const RULES = { maxRlpBytesPerChannel: 100_000, maxSpanBatchElements: 10_000, brotliChannels: true }
const MAX_BATCHES = 10_000

const compression = { compress, decompress }
const channel = fc
  .tuple(fc.array(lagoonBatch, { minLength: 1, maxLength: 3 }), fc.constantFrom('zlib' as const, 'brotli' as const))
  .map(([batches, algorithm]) => encodeChannel(batches, algorithm, compression))

const l1InfoCalls = (['bedrock', 'ecotone', 'isthmus', 'jovian'] as const).map((format) =>
  encodeL1Info({
    format,
    number: 1_000,
    timestampSec: 1_700_000_000,
    baseFeeWei: 7n,
    hash: ZERO_HASH,
    sequenceNumber: 3,
    batcherAddress: toAddress(new Uint8Array(20).fill(1)),
    overhead: new Uint8Array(32),
    scalar: new Uint8Array(32),
    baseFeeScalar: 5,
    blobBaseFeeScalar: 6,
    blobBaseFeeWei: 1n,
    operatorFeeScalar: 0,
    operatorFeeConstant: 0n,
    daFootprintGasScalar: 400,
  }),
)

type Case =
  | { readonly kind: 'batch'; readonly wire: WireBatch }
  | { readonly kind: 'frames'; readonly frames: readonly Frame[] }
  | {
      readonly kind: 'broken batch' | 'broken frames' | 'broken channel' | 'broken L1 info' | 'broken blob' | 'extra data' | 'deposit log'
      readonly bytes: Uint8Array
    }

const broken = <K extends Case['kind']>(kind: K, valid: Arbitrary<Uint8Array>) =>
  fc.record({ kind: fc.constant(kind), bytes: brokenBytes(valid) }) as unknown as Arbitrary<Case>

function orCodedError<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch (error) {
    if (error instanceof NodeError) return null
    throw error
  }
}

export const derivationSubject = defineSubject<Case>({
  name: 'derivation',
  cases: 60_000,
  caseLimitMs: 10_000,
  open: async () => ({
    arbitrary: fc.oneof(
      fc.record({ kind: fc.constant('batch' as const), wire: lagoonBatch }),
      fc.record({ kind: fc.constant('frames' as const), frames: batcherFrames }),
      broken('broken batch', lagoonBatch.map(encodeBatch)),
      broken('broken frames', batcherFrames.map(encodeBatcherTransaction)),
      broken('broken channel', channel),
      broken('broken L1 info', fc.constantFrom(...l1InfoCalls)),
      broken('extra data', fc.constant(new Uint8Array(17))),
      broken('deposit log', bytesOf(96).map(depositLogData)),
      broken(
        'broken blob',
        fc.uint8Array({ maxLength: 300 }).map((data) => encodeBlob(data).slice(0, 400)),
      ),
    ),
    check: checkCase,
  }),
})

function checkCase(value: Case): void {
  switch (value.kind) {
    case 'batch': {
      const encoded = encodeBatch(value.wire)
      assert.deepEqual(encodeBatch(decodeBatch(encoded, RULES.maxSpanBatchElements)), encoded)
      if (value.wire.kind === 'span') assert.ok(deriveSpanBatch(value.wire.batch, SPAN_CHAIN).blockCount > 0)
      return
    }
    case 'frames':
      assert.deepEqual(decodeBatcherTransaction(encodeBatcherTransaction(value.frames)), value.frames)
      return
    case 'broken batch': {
      const decoded = orCodedError(() => decodeBatch(value.bytes, RULES.maxSpanBatchElements))
      if (decoded !== null) checkBatch(decoded)
      return
    }
    case 'broken frames': {
      const decoded = orCodedError(() => decodeBatcherTransaction(value.bytes))
      if (decoded !== null) assert.deepEqual(encodeBatcherTransaction(decoded), value.bytes)
      return
    }
    case 'broken channel': {
      const opened = openChannel(value.bytes, RULES, compression)
      if (!opened.ok) return
      for (let i = 0; i < MAX_BATCHES; i++) {
        const next = opened.batches.next()
        if (next.kind === 'again') continue
        if (next.kind !== 'batch') return
        checkBatch(unpackBatch(next.batch))
      }
      assert.fail(`more than ${MAX_BATCHES} batches from ${value.bytes.length} bytes`)
      return
    }
    case 'broken L1 info': {
      const info = orCodedError(() => decodeL1Info(value.bytes))
      if (info !== null) orCodedError(() => encodeL1Info(info))
      return
    }
    case 'broken blob': {
      const blob = new Uint8Array(131_072)
      blob.set(value.bytes.subarray(0, 131_072))
      const data = orCodedError(() => decodeBlob(blob))
      if (data !== null) assert.deepEqual(decodeBlob(encodeBlob(data)), data)
      return
    }
    case 'extra data':
      orCodedError(() => decodeExtraData(value.bytes))
      return
    case 'deposit log':
      orCodedError(() =>
        decodeDepositLog(
          { address: toAddress(new Uint8Array(20)), topics: [DEPOSIT_EVENT_TOPIC, ZERO_HASH, ZERO_HASH, ZERO_HASH], data: value.bytes },
          ZERO_HASH,
          0,
        ),
      )
  }
}

function depositLogData(opaque: Uint8Array): Uint8Array {
  return concatBytes(bigintToBytes(32n, 32), bigintToBytes(73n, 32), opaque)
}

function checkBatch(decoded: WireBatch): void {
  const encoded = encodeBatch(decoded)
  assert.deepEqual(encodeBatch(decodeBatch(encoded, RULES.maxSpanBatchElements)), encoded)
  if (decoded.kind === 'span') orCodedError(() => deriveSpanBatch(decoded.batch, SPAN_CHAIN))
}
