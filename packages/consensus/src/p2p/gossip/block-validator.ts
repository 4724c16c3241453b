/**
 * Validates a gossiped block. The signature is checked before decoding, and costs only one hash and one recovery. A copy of a
 * seen block signed by an unknown key is rejected, because no correct peer relays it. specs:
 * protocol/rollup-node-p2p.md#block-validation
 */
import type { UnsupportedFork } from '@keelson/chainspec'
import type { PayloadVersion } from '@keelson/primitives'
import {
  type Address,
  CodecError,
  type Crypto,
  decodeSignedPart,
  type ExecutionPayload,
  type Hash,
  type PayloadEnvelope,
  payloadHash,
  recoverBlockSigner,
  SIGNATURE_BYTES,
  toAddress,
} from '@keelson/primitives'
import type { UnreadableBlock } from '../../newer-rules/signed-conflict.ts'
import type { GossipedBlock } from '../../ports.ts'
import { createBlockSigners } from './block-signers.ts'
import { snappyDecompress } from './snappy-block.ts'

export type BlockRejection =
  | 'compression-invalid'
  | 'encoding-invalid'
  | 'timestamp-too-old'
  | 'timestamp-in-future'
  | 'block-hash-mismatch'
  | 'withdrawals-not-empty'
  | 'blob-gas-used-not-zero'
  | 'excess-blob-gas-not-zero'
  | 'too-many-blocks-at-height'
  | 'signature-invalid'

export type BlockJudgement =
  | { readonly verdict: 'accept'; readonly envelope: PayloadEnvelope; readonly signed: GossipedBlock }
  | { readonly verdict: 'ignore'; readonly reason: 'already-seen' | 'unsupported-fork' | 'signer-unknown' }
  /** The signature shows that the sequencer made it, so this release may be too old for it, and the sender is not to blame. */
  | { readonly verdict: 'ignore'; readonly reason: 'newer-rules'; readonly block: UnreadableBlock }
  | { readonly verdict: 'reject'; readonly reason: BlockRejection }

export interface BlockValidatorOptions {
  readonly chainId: bigint
  /** Called per block, because the signer may rotate. While it is null, no block can be judged, so all are ignored. */
  readonly signer: () => Address | null
  readonly nowMs: () => number
  /** Whether the field has the data footprint at this time. */
  readonly usesBlobGasField: (timestampSec: number) => boolean
  /** Blocks of this fork are ignored rather than rejected, even if they break the known rules. */
  readonly unsupportedFork?: UnsupportedFork | null
  readonly crypto: Crypto
}

/** Peers reject older blocks. specs: protocol/rollup-node-p2p.md#block-validation */
export const GOSSIP_MAX_AGE_SEC = 60

export function isTooOldForGossip(timestampSec: number, nowSec: number): boolean {
  return timestampSec < nowSec - GOSSIP_MAX_AGE_SEC
}

const MAX_AHEAD_SEC = 5
/**
 * Copies of an accepted block are ignored for this long after the age limit. Anyone can give a block a second valid signature (s
 * negated) and send it just within the limit to a peer that has just started, which relays it in good faith.
 */
const MAX_RELAY_SEC = 5
const MAX_BLOCKS_AT_HEIGHT = 5
const MAX_HEIGHTS = 1_000

/** Rules that a fork may change. Each completes "the sequencer signed a block, which". */
const NEWER_PROBLEMS: Readonly<Partial<Record<BlockRejection, string>>> = {
  'encoding-invalid': 'this release cannot decode',
  'block-hash-mismatch': 'has a hash that does not follow from the header fields that this release knows',
  'withdrawals-not-empty': 'has withdrawals',
  'blob-gas-used-not-zero': 'states blob gas used',
  'excess-blob-gas-not-zero': 'states excess blob gas',
}

/** Signers of accepted blocks by height and hash. */
type Heights = Map<number, Map<Hash, Address>>

export interface BlockValidator {
  judge(version: PayloadVersion, message: Uint8Array): BlockJudgement
}

export function createBlockValidator(options: BlockValidatorOptions): BlockValidator {
  const seenByTopic = new Map<PayloadVersion, Heights>()
  const signers = createBlockSigners(options.signer, options.nowMs)
  const reject = (reason: BlockRejection): BlockJudgement => ({ verdict: 'reject', reason })

  function authorOf(signature: Uint8Array, signedPart: Uint8Array): Address | null {
    const recovered = recoverBlockSigner(options.crypto, options.chainId, signature, signedPart)
    const author = recovered === null ? null : toAddress(recovered)
    return author !== null && signers.isFamiliar(author) ? author : null
  }

  function isLateCopy({ blockHash, timestampSec }: ExecutionPayload, seen: ReadonlyMap<Hash, Address> | undefined): boolean {
    const oldestSec = Math.floor(options.nowMs() / 1000) - GOSSIP_MAX_AGE_SEC - MAX_RELAY_SEC
    return timestampSec >= oldestSec && seen?.has(blockHash) === true
  }

  function judgeByKnownRules(version: PayloadVersion, message: Uint8Array): BlockJudgement {
    const data = snappyDecompress(message)
    if (data === null) return reject('compression-invalid')
    if (data.length <= SIGNATURE_BYTES) return reject('encoding-invalid')
    // The peer cannot know that this node has no signer to compare with.
    if (signers.current() === null) return { verdict: 'ignore', reason: 'signer-unknown' }
    const signature = data.subarray(0, SIGNATURE_BYTES)
    const signedPart = data.subarray(SIGNATURE_BYTES)
    const signer = authorOf(signature, signedPart)
    if (signer === null) return reject('signature-invalid')
    const unreadable = (reason: BlockRejection, read: PayloadEnvelope | null): BlockJudgement =>
      signers.maySign(signer)
        ? {
            verdict: 'ignore',
            reason: 'newer-rules',
            block: { version, signedPart, envelope: read, problem: NEWER_PROBLEMS[reason] ?? reason },
          }
        : reject(reason)
    const envelope = tryDecode(version, signedPart)
    if (envelope === null) return unreadable('encoding-invalid', null)
    const { blockNumber, blockHash } = envelope.payload
    const heights = heightsOf(seenByTopic, version)
    const seen = heights.get(blockNumber)
    const broken = checkFields(version, envelope, options)
    if (broken === 'timestamp-too-old' && isLateCopy(envelope.payload, seen)) return { verdict: 'ignore', reason: 'already-seen' }
    if (broken !== null) return broken in NEWER_PROBLEMS ? unreadable(broken, envelope) : reject(broken)
    if (seen !== undefined && seen.size > MAX_BLOCKS_AT_HEIGHT) return reject('too-many-blocks-at-height')
    const first = seen?.get(blockHash)
    // A copy may still have the accepted block's signer, although the signer has changed since.
    if (!signers.maySign(signer) && signer !== first) return reject('signature-invalid')
    if (first !== undefined) return { verdict: 'ignore', reason: 'already-seen' }
    markSeen(heights, blockNumber, blockHash, signer)
    signers.accepted(signer)
    return { verdict: 'accept', envelope, signed: { envelope, signer, signedPart, signature } }
  }

  function judgeUpTo(fork: UnsupportedFork, version: PayloadVersion, message: Uint8Array): BlockJudgement {
    const ignored: BlockJudgement = { verdict: 'ignore', reason: 'unsupported-fork' }
    const nowSec = Math.floor(options.nowMs() / 1000)
    // Any block young enough to be accepted belongs to the fork.
    if (nowSec - GOSSIP_MAX_AGE_SEC >= fork.timeSec) return ignored
    const judgement = judgeByKnownRules(version, message)
    if (judgement.verdict === 'accept') return judgement.envelope.payload.timestampSec >= fork.timeSec ? ignored : judgement
    return judgement.verdict === 'reject' && nowSec + MAX_AHEAD_SEC >= fork.timeSec ? ignored : judgement
  }

  const { unsupportedFork: fork = null } = options
  return { judge: fork === null ? judgeByKnownRules : (version, message) => judgeUpTo(fork, version, message) }
}

function tryDecode(version: PayloadVersion, raw: Uint8Array): PayloadEnvelope | null {
  try {
    return decodeSignedPart(version, raw)
  } catch (error) {
    if (error instanceof CodecError) return null
    throw error
  }
}

/** The encoding determines which fields exist, so only values are checked. */
function checkFields(version: PayloadVersion, envelope: PayloadEnvelope, options: BlockValidatorOptions): BlockRejection | null {
  const { payload } = envelope
  const nowSec = Math.floor(options.nowMs() / 1000)
  if (isTooOldForGossip(payload.timestampSec, nowSec)) return 'timestamp-too-old'
  if (payload.timestampSec > nowSec + MAX_AHEAD_SEC) return 'timestamp-in-future'
  if (payloadHash(payload, envelope.parentBeaconBlockRoot) !== payload.blockHash) return 'block-hash-mismatch'
  if (version >= 2 && payload.withdrawals?.length !== 0) return 'withdrawals-not-empty'
  if (version >= 3 && payload.blobGasUsed !== 0n && !options.usesBlobGasField(payload.timestampSec)) return 'blob-gas-used-not-zero'
  if (version >= 3 && payload.excessBlobGas !== 0n) return 'excess-blob-gas-not-zero'
  return null
}

function heightsOf(seen: Map<PayloadVersion, Heights>, version: PayloadVersion): Heights {
  let heights = seen.get(version)
  if (heights === undefined) {
    heights = new Map()
    seen.set(version, heights)
  }
  return heights
}

/** Stores only signed blocks, so that outsiders cannot fill the table. */
function markSeen(heights: Heights, height: number, hash: Hash, signer: Address): void {
  const hashes = heights.get(height) ?? new Map<Hash, Address>()
  hashes.set(hash, signer)
  heights.delete(height)
  heights.set(height, hashes)
  if (heights.size > MAX_HEIGHTS) heights.delete(heights.keys().next().value as number)
}
