import assert from 'node:assert/strict'
import { type BlockJudgement, createBlockValidator, snappyDecompress } from '@keelson/consensus'
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
import { snappyCompress } from '@keelson/runtime/snappy'
import type { ConformanceGroup } from '../group.ts'

interface Vector {
  readonly kind?: string
  readonly topicVersion?: number
  readonly blockVersion?: string
  readonly version?: string | number
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

const VERSIONS: readonly PayloadVersion[] = [4, 3, 2, 1]

/** The version that the vector names, or all. */
function versionsOf({ topicVersion, blockVersion, version }: Vector): readonly PayloadVersion[] {
  const stated = topicVersion === undefined ? (blockVersion ?? version) : topicVersion + 1
  if (stated === undefined) return VERSIONS
  const number = Number(String(stated).replace(/^v/i, ''))
  assert.ok(number >= 1 && number <= 4, `the vector names version ${stated}, expected 1 to 4`)
  return [number as PayloadVersion]
}

/** The newest version whose bytes these are; the vector may name none. */
function versionOf(vector: Vector, isOf: (version: PayloadVersion) => boolean): PayloadVersion {
  const versions = versionsOf(vector)
  const found = versions.length === 1 ? versions[0] : versions.find(isOf)
  assert.ok(found !== undefined, 'the bytes are of no version, or do not come back')
  return found
}

function signedPartVersion(vector: Vector, signedPart: Uint8Array): PayloadVersion {
  return versionOf(vector, (version) => {
    try {
      return bytesToHex(encodeSignedPart(decodeSignedPart(version, signedPart))) === bytesToHex(signedPart)
    } catch (error) {
      assert.ok(error instanceof CodecError)
      return false
    }
  })
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
  const envelope = decodeSignedPart(signedPartVersion(vector, signedPart), signedPart)
  if (expected.timestamp !== undefined) assert.equal(envelope.payload.timestampSec, expected.timestamp)
  assert.deepEqual(encodeSignedPart(envelope), new Uint8Array(signedPart))
  assert.deepEqual(snappyDecompress(snappyCompress(plain)), plain)
  if (expected.signer === undefined) return
  const signer = recoverBlockSigner(crypto, BigInt(expected.signatureChainId ?? 0), signature, signedPart)
  assert.equal(signer && bytesToHex(signer), expected.signer)
}

function runSsz(vector: Vector): void {
  const raw = data(vector.ssz)
  if (vector.expect === 'error') {
    for (const version of versionsOf(vector)) assert.throws(() => decodePayloadSsz(version, raw), CodecError)
    return
  }
  const expected = objectExpectation(vector)
  const payload = decodePayloadSsz(payloadVersion(vector, raw), raw)
  if (expected.baseFeePerGas !== undefined) assert.equal(payload.baseFeeWei, BigInt(expected.baseFeePerGas))
  assert.deepEqual(encodePayloadSsz(payload), raw)
}

function payloadVersion(vector: Vector, raw: Uint8Array): PayloadVersion {
  return versionOf(vector, (version) => {
    try {
      return bytesToHex(encodePayloadSsz(decodePayloadSsz(version, raw))) === bytesToHex(raw)
    } catch (error) {
      assert.ok(error instanceof CodecError)
      return false
    }
  })
}

function messageTimeSec(version: PayloadVersion, message: Uint8Array): number {
  const plain = snappyDecompress(message)
  assert.ok(plain)
  try {
    return decodeSignedPart(version, plain.subarray(SIGNATURE_BYTES)).payload.timestampSec
  } catch (error) {
    assert.ok(error instanceof CodecError)
    return 0
  }
}

function judge(vector: Vector, version: PayloadVersion): BlockJudgement {
  const message = data(vector.data)
  const timeSec = messageTimeSec(version, message)
  const validator = createBlockValidator({
    chainId: BigInt(vector.chainId ?? 0),
    signer: () => toAddress(vector.unsafeBlockSigner ?? ''),
    nowMs: () => timeSec * 1000,
    usesBlobGasField: () => false,
    crypto,
  })
  return validator.judge(version, message)
}

const NOT_THE_REASON: readonly string[] = [
  ...['timestamp-too-old', 'timestamp-in-future', 'signature-invalid'],
  ...['already-seen', 'unsupported-fork', 'signer-unknown'],
]

/** A block that the sequencer signed against the known rules is not accepted, but its sender is not to blame for it. */
function reasonOf(judgement: BlockJudgement): string | null {
  if (judgement.verdict === 'accept') return null
  return judgement.reason === 'newer-rules' ? judgement.block.problem : judgement.reason
}

/** Without a version, a valid message is valid on one topic, and an invalid one on none. */
function runTopic(vector: Vector): void {
  const judgements = versionsOf(vector).map((version) => judge(vector, version))
  const reasons = judgements.map(reasonOf)
  const shown = `the reasons are ${reasons.join(', ')}`
  const accepted = judgements.some(({ verdict }) => verdict === 'accept')
  assert.equal(accepted ? 'Valid' : 'Invalid', vector.expect, shown)
  if (accepted) return
  assert.ok(
    reasons.some((reason) => reason !== null && !NOT_THE_REASON.includes(reason)),
    shown,
  )
}

function runSignedPart(vector: Vector): void {
  const raw = data(vector.ssz)
  const version = signedPartVersion(vector, raw)
  assert.equal(bytesToHex(encodeSignedPart(decodeSignedPart(version, raw))), bytesToHex(raw))
}

function runDecompressed(vector: Vector): void {
  const plain = data(vector.data)
  const signedPart = plain.subarray(SIGNATURE_BYTES)
  const envelope = decodeSignedPart(signedPartVersion(vector, signedPart), signedPart)
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
