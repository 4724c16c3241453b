import assert from 'node:assert/strict'
import { type BlockJudgement, createBlockValidator, snappyCompress, snappyDecompress } from '@keelson/consensus'
import {
  blockSigningDigest,
  bytesToHex,
  CodecError,
  concatBytes,
  createPureCrypto,
  decodePayloadSsz,
  decodeSignedPart,
  encodePayloadSsz,
  encodeSignedPart,
  hexToBytes,
  type PayloadVersion,
  recoverBlockSigner,
  toAddress,
} from '@keelson/primitives'
import type { ConformanceGroup } from '../group.ts'

interface Vector {
  readonly kind?: string
  readonly topicVersion?: number
  readonly blockVersion?: string
  readonly chainId?: number
  readonly unsafeBlockSigner?: string
  readonly data?: string
  readonly ssz?: string
  readonly payloadBytes?: string
  readonly expectedMessageHash?: string
  readonly expect?:
    | 'error'
    | 'Valid'
    | 'Invalid'
    | {
        readonly timestamp?: number
        readonly signer?: string
        readonly signatureChainId?: number
        readonly baseFeePerGas?: number
        readonly payloadHash?: string
      }
}

const FOLDER = 'op-gossip/'
const crypto = createPureCrypto()
const SIGNATURE_BYTES = 65

function data(hex: string | undefined): Uint8Array {
  assert.ok(hex, 'the vector has no data')
  return hexToBytes(hex)
}

function version(vector: Vector): PayloadVersion {
  const number = vector.topicVersion === undefined ? Number(vector.blockVersion?.slice(1)) : vector.topicVersion + 1
  assert.ok(number >= 1 && number <= 4, 'the vector names no version')
  return number as PayloadVersion
}

function objectExpectation(vector: Vector) {
  assert.ok(typeof vector.expect === 'object', 'the vector expects no fields')
  return vector.expect
}

function runEnvelope(vector: Vector): void {
  const expected = objectExpectation(vector)
  const plain = snappyDecompress(data(vector.data))
  assert.ok(plain)
  const signature = plain.subarray(0, SIGNATURE_BYTES)
  const signedPart = plain.subarray(SIGNATURE_BYTES)
  const envelope = decodeSignedPart(version(vector), signedPart)
  assert.equal(envelope.payload.timestampSec, expected.timestamp)
  assert.deepEqual(encodeSignedPart(envelope), new Uint8Array(signedPart))
  assert.deepEqual(snappyDecompress(snappyCompress(plain)), plain)
  if (expected.signer === undefined) return
  const signer = recoverBlockSigner(crypto, BigInt(expected.signatureChainId ?? 0), signature, signedPart)
  assert.equal(signer && bytesToHex(signer), expected.signer)
}

function runSsz(vector: Vector): void {
  const raw = data(vector.ssz)
  if (vector.expect === 'error') {
    assert.throws(() => decodePayloadSsz(version(vector), raw), CodecError)
    return
  }
  const expected = objectExpectation(vector)
  const payload = decodePayloadSsz(version(vector), raw)
  assert.equal(payload.baseFeeWei, BigInt(expected.baseFeePerGas ?? -1))
  assert.deepEqual(encodePayloadSsz(payload), raw)
}

function messageTimeSec(vector: Vector, message: Uint8Array): number {
  const plain = snappyDecompress(message)
  assert.ok(plain)
  try {
    return decodeSignedPart(version(vector), plain.subarray(SIGNATURE_BYTES)).payload.timestampSec
  } catch (error) {
    assert.ok(error instanceof CodecError)
    return 0
  }
}

function judge(vector: Vector): BlockJudgement {
  const message = data(vector.data)
  const timeSec = messageTimeSec(vector, message)
  const validator = createBlockValidator({
    chainId: BigInt(vector.chainId ?? 0),
    signer: () => toAddress(vector.unsafeBlockSigner ?? ''),
    nowMs: () => timeSec * 1000,
    usesBlobGasField: () => false,
    crypto,
  })
  return validator.judge(version(vector), message)
}

function runTopic(vector: Vector): void {
  const judgement = judge(vector)
  if (vector.expect === 'Valid') {
    assert.equal(
      judgement.verdict,
      'accept',
      JSON.stringify(judgement, (_, v) => (typeof v === 'bigint' ? String(v) : v)),
    )
    return
  }
  assert.equal(vector.expect, 'Invalid')
  assert.equal(judgement.verdict, 'reject')
  assert.ok(!['timestamp-too-old', 'timestamp-in-future', 'signature-invalid'].includes(judgement.reason), judgement.reason)
}

/** The signed part follows the parent beacon root, which only versions 3 and 4 have. */
function runSignedPart(vector: Vector): void {
  const raw = data(vector.ssz)
  const versions = vector.topicVersion === undefined && vector.blockVersion === undefined ? ([4, 3] as const) : [version(vector)]
  const encoded = versions.flatMap((each) => {
    try {
      return [bytesToHex(encodeSignedPart(decodeSignedPart(each, raw)))]
    } catch (error) {
      assert.ok(error instanceof CodecError)
      return []
    }
  })
  assert.ok(encoded.includes(bytesToHex(raw)), 'the bytes are of no version, or do not come back')
}

function runDecompressed(vector: Vector): void {
  const plain = data(vector.data)
  const envelope = decodeSignedPart(version(vector), plain.subarray(SIGNATURE_BYTES))
  // The vector's "payload hash" is the 32 bytes before the payload.
  const { payloadHash } = objectExpectation(vector)
  if (payloadHash !== undefined) assert.equal(envelope.parentBeaconBlockRoot, payloadHash)
  assert.deepEqual(concatBytes(plain.subarray(0, SIGNATURE_BYTES), encodeSignedPart(envelope)), plain)
}

function runDigest(vector: Vector): void {
  const digest = blockSigningDigest(BigInt(vector.chainId ?? 0), data(vector.payloadBytes))
  assert.equal(bytesToHex(digest), vector.expectedMessageHash)
}

function checkFor(vector: Vector): (vector: Vector) => void {
  const kind = vector.kind ?? ''
  if (vector.expectedMessageHash !== undefined) return runDigest
  if (vector.ssz !== undefined) return /root/i.test(kind) ? runSignedPart : runSsz
  if (/^decompressed/.test(kind)) return runDecompressed
  if (vector.expect === 'Valid' || vector.expect === 'Invalid') return runTopic
  assert.ok(vector.data !== undefined && typeof vector.expect === 'object', 'no check is known for a vector of this form')
  return runEnvelope
}

export const opGossip: ConformanceGroup = {
  name: 'op-gossip',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /\.json$/), (path) => {
      const vector = folder.json<Vector>(path)
      const check = checkFor(vector)
      return [{ id: path.slice(FOLDER.length).replace(/\.json$/, ''), run: () => check(vector) }]
    }),
}
