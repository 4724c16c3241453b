import { encodeBatch, encodeBatcherTransaction, encodeBlob, encodeChannel } from '@keelson/derivation'
import { concatBytes, rlpEncode } from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'
import { compress } from '../../../packages/node/src/crypto/compression.ts'
import { brokenBytes, mutatedBytes } from '../mutate.ts'
import { batcherFrames, singularWire, spanWire, wireBatch } from '../wire-batches.ts'
import type { JudgeSubject } from './judge-subject.ts'
import { batchRequest, blobRequest, channelRequest, framesRequest } from './requests.ts'
import { compressedStream } from './streams.ts'

const MAX_CHANNEL_BYTES = [100_000_000, 100_000_000, 5_000]

const fork = fc.constantFrom('ecotone', 'fjord', 'fjord', 'holocene')
const maxBytes = fc.constantFrom(...MAX_CHANNEL_BYTES)
const soundOrBroken = (valid: Arbitrary<Uint8Array>) =>
  fc.oneof({ weight: 1, arbitrary: valid }, { weight: 4, arbitrary: brokenBytes(valid) })

const stream = fc
  .array(
    fc.oneof({ weight: 2, arbitrary: wireBatch.map(encodeBatch) }, { weight: 3, arbitrary: mutatedBytes(wireBatch.map(encodeBatch)) }),
    { minLength: 1, maxLength: 4 },
  )
  .map((batches) => concatBytes(...batches.map((batch) => rlpEncode(batch))))
const channel = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: stream }, { weight: 1, arbitrary: mutatedBytes(stream) }), fc.constantFrom('zlib', 'brotli'))
  .map(([plain, algorithm]) => (algorithm === 'zlib' ? compress('zlib', plain) : concatBytes(Uint8Array.of(1), compress('brotli', plain))))
const wholeChannel = fc
  .tuple(fc.array(wireBatch, { minLength: 1, maxLength: 3 }), fc.constantFrom('zlib' as const, 'brotli' as const))
  .map(([batches, algorithm]) => encodeChannel(batches, algorithm, { compress }))

export const CODEC_SUBJECTS: readonly JudgeSubject[] = [
  {
    name: 'frames',
    kind: 'frames',
    fork: 'bedrock',
    cases: 200_000,
    arbitrary: soundOrBroken(batcherFrames.map(encodeBatcherTransaction)).map(framesRequest),
  },
  {
    name: 'blobs',
    kind: 'blob',
    fork: 'ecotone',
    cases: 50_000,
    arbitrary: soundOrBroken(fc.uint8Array({ maxLength: 400 }).map((data) => encodeBlob(data).slice(0, 500))).map(blobRequest),
  },
  {
    name: 'batches',
    kind: 'batch',
    fork: 'bedrock',
    cases: 150_000,
    arbitrary: soundOrBroken(singularWire.map(encodeBatch)).map(batchRequest),
  },
  {
    name: 'spans',
    kind: 'batch',
    fork: 'fjord',
    cases: 250_000,
    arbitrary: soundOrBroken(spanWire.map(encodeBatch)).map(batchRequest),
  },
  {
    name: 'channels',
    kind: 'channel',
    fork: 'holocene',
    cases: 150_000,
    arbitrary: fc
      .tuple(fork, maxBytes, fc.oneof({ weight: 3, arbitrary: channel }, { weight: 1, arbitrary: brokenBytes(wholeChannel) }))
      .map(([at, max, data]) => channelRequest(at, max, data)),
  },
  {
    name: 'zlib streams',
    kind: 'channel',
    fork: 'holocene',
    cases: 100_000,
    arbitrary: fc.tuple(fork, maxBytes, compressedStream('zlib')).map(([at, max, data]) => channelRequest(at, max, data)),
  },
  {
    name: 'brotli streams',
    kind: 'channel',
    fork: 'holocene',
    cases: 100_000,
    arbitrary: fc.tuple(maxBytes, compressedStream('brotli')).map(([max, data]) => channelRequest('fjord', max, data)),
  },
]
