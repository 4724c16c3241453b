import assert from 'node:assert/strict'
import type { UnsupportedFork } from '@keelson/chainspec'
import type { PayloadVersion } from '@keelson/primitives'
import {
  bigintToBytes,
  blockSigningRequest,
  bytesToBigint,
  concatBytes,
  createPureCrypto,
  encodeSignedPart,
  type PayloadEnvelope,
  ZERO_HASH,
} from '@keelson/primitives'
import { snappyCompress } from '@keelson/runtime/snappy'
import { makePayload, type PayloadRequest } from '../../../../../test/support/payloads.ts'
import { createLocalBlockSigner } from './block-signer.ts'
import { type BlockJudgement, createBlockValidator } from './block-validator.ts'
import { encodeBlockMessage } from './encode-message.ts'
import { snappyDecompress } from './snappy-block.ts'

const NOW_SEC = 1_800_000_000
const CHAIN_ID = 84532n
/** secp256k1. SEC 2, section 2.4.1 */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const crypto = createPureCrypto()
const signer = createLocalBlockSigner(crypto, new Uint8Array(32).fill(7))
const stranger = createLocalBlockSigner(crypto, new Uint8Array(32).fill(8))

function newValidator(usesBlobGasField = false, nowSec = NOW_SEC, unsupportedFork: UnsupportedFork | null = null) {
  return createBlockValidator({
    chainId: CHAIN_ID,
    signer: () => signer.address,
    nowMs: () => nowSec * 1000,
    usesBlobGasField: () => usesBlobGasField,
    unsupportedFork,
    crypto,
  })
}

function block(change: Partial<PayloadRequest> = {}): PayloadEnvelope {
  return makePayload({
    number: 9,
    parentHash: ZERO_HASH,
    timestampSec: NOW_SEC,
    l1Origin: { hash: ZERO_HASH, number: 1 },
    sequenceNumber: 0,
    ...change,
  })
}

async function judged(
  envelope: PayloadEnvelope,
  options: { by?: typeof signer; version?: PayloadVersion; jovian?: boolean } = {},
): Promise<string> {
  const encoded = await encodeBlockMessage(CHAIN_ID, options.by ?? signer, envelope)
  return outcome(newValidator(options.jovian).judge(options.version ?? encoded.version, encoded.message))
}

function outcome(judgement: BlockJudgement): string {
  if (judgement.verdict === 'accept') return 'accept'
  return judgement.reason === 'newer-rules' ? judgement.block.problem : judgement.reason
}

const UNDECODABLE = 'this release cannot decode'
const UNKNOWN_HASH = 'has a hash that does not follow from the header fields that this release knows'

/** Replaces the signature by its other valid form (s negated, parity flipped), which needs no key. */
function withOtherSignature(message: Uint8Array): Uint8Array {
  const plain = Uint8Array.from(snappyDecompress(message) ?? [])
  plain.set(bigintToBytes(CURVE_ORDER - bytesToBigint(plain.subarray(32, 64)), 32), 32)
  plain[64] = 1 - (plain[64] as number)
  return snappyCompress(plain)
}

function unsignedBomb(transactions: number): Uint8Array {
  const part = encodeSignedPart(block({ change: { transactions: [] } }))
  const offsets = new Uint8Array(4 * transactions)
  const view = new DataView(offsets.buffer)
  for (let i = 0; i < transactions; i++) view.setUint32(4 * i, offsets.length, true)
  const bomb = concatBytes(part, offsets)
  new DataView(bomb.buffer).setUint32(32 + 32 + 20 + 32 + 32 + 256 + 32 + 4 * 8 + 4 + 32 + 32 + 4, part.length - 32 + offsets.length, true)
  const signature = new Uint8Array(65).fill(9)
  signature[64] = 0
  return snappyCompress(concatBytes(signature, bomb))
}

describe('gossip validation', () => {
  it('ignores blocks of a fork that is not implemented, and blocks that may belong to one, without a penalty for the sender', async () => {
    const encoded = async (timestampSec: number, by = signer) => (await encodeBlockMessage(CHAIN_ID, by, block({ timestampSec }))).message
    const judgedAt = (nowSec: number, message: Uint8Array) => {
      const judgement = newValidator(false, nowSec, { name: 'beryl', timeSec: NOW_SEC }).judge(4, message)
      return `${judgement.verdict} ${outcome(judgement)}`
    }
    const ignored = 'ignore unsupported-fork'
    const garbage = snappyCompress(new Uint8Array(200))
    assert.equal(judgedAt(NOW_SEC - 10, await encoded(NOW_SEC - 10)), 'accept accept')
    assert.equal(judgedAt(NOW_SEC - 10, garbage), 'reject signature-invalid', 'before any of them can come')
    assert.equal(judgedAt(NOW_SEC, await encoded(NOW_SEC - 2)), 'accept accept', 'the last blocks before the fork')
    assert.equal(judgedAt(NOW_SEC, await encoded(NOW_SEC)), ignored)
    assert.equal(judgedAt(NOW_SEC, garbage), ignored, 'a form that only the fork knows')
    assert.equal(judgedAt(NOW_SEC + 3_600, await encoded(NOW_SEC + 3_600, stranger)), ignored)
    assert.equal(judgedAt(NOW_SEC + 3_600, Uint8Array.of(1, 2, 3)), ignored)
  })

  it('an unsigned block of a million empty transactions costs one recovery, and is not decoded', () => {
    let recoveries = 0
    let clockReads = 0
    const validator = createBlockValidator({
      chainId: CHAIN_ID,
      signer: () => signer.address,
      nowMs: () => {
        clockReads++
        return NOW_SEC * 1000
      },
      usesBlobGasField: () => true,
      crypto: {
        ...crypto,
        recover(...args) {
          recoveries++
          return crypto.recover(...args)
        },
      },
    })
    assert.equal(outcome(validator.judge(4, unsignedBomb(1 << 20))), 'signature-invalid')
    assert.deepEqual({ recoveries, clockReads }, { recoveries: 1, clockReads: 0 })
  })

  it('a signed block of a million empty transactions is refused before they are decoded', async () => {
    const plain = snappyDecompress(unsignedBomb(1 << 20)) as Uint8Array
    const signature = await signer.sign(blockSigningRequest(CHAIN_ID, plain.subarray(65)))
    const message = snappyCompress(concatBytes(signature, plain.subarray(65)))
    assert.equal(outcome(newValidator().judge(4, message)), UNDECODABLE)
    const few = snappyDecompress(unsignedBomb(1_024)) as Uint8Array
    const signedFew = snappyCompress(concatBytes(await signer.sign(blockSigningRequest(CHAIN_ID, few.subarray(65))), few.subarray(65)))
    assert.equal(outcome(newValidator().judge(4, signedFew)), UNKNOWN_HASH, 'a form that can be decoded')
  })

  it('a node that does not know the signer yet blames no peer for its blocks, and hashes and recovers nothing', async () => {
    const { message } = await encodeBlockMessage(CHAIN_ID, signer, block())
    const validator = createBlockValidator({
      chainId: CHAIN_ID,
      signer: () => null,
      nowMs: () => NOW_SEC * 1000,
      usesBlobGasField: () => true,
      crypto: { ...crypto, recover: () => assert.fail('a recovery') },
    })
    assert.deepEqual(validator.judge(4, message), { verdict: 'ignore', reason: 'signer-unknown' })
  })

  it('accepts a good block of each version, then ignores it', async () => {
    for (const version of [1, 2, 3, 4] as const) {
      const { message } = await encodeBlockMessage(CHAIN_ID, signer, block({ version }))
      const validator = newValidator()
      assert.equal(outcome(validator.judge(version, message)), 'accept')
      assert.equal(outcome(validator.judge(version, message)), 'already-seen')
    }
  })

  it('names the rule that a block breaks', async () => {
    assert.equal(outcome(newValidator().judge(4, Uint8Array.of(255, 255, 255, 255, 255, 255))), 'compression-invalid')
    assert.equal(outcome(newValidator().judge(4, snappyCompress(new Uint8Array(64)))), 'encoding-invalid')
    assert.equal(await judged(block({ version: 4 }), { version: 3 }), UNDECODABLE)
    assert.equal(await judged(block({ timestampSec: NOW_SEC - 61 })), 'timestamp-too-old')
    assert.equal(await judged(block({ timestampSec: NOW_SEC - 60 })), 'accept')
    assert.equal(await judged(block({ timestampSec: NOW_SEC + 6 })), 'timestamp-in-future')
    assert.equal(await judged(block({ timestampSec: NOW_SEC + 5 })), 'accept')
    assert.equal(await judged(block({ change: { excessBlobGas: 1n } })), 'states excess blob gas')
    assert.equal(await judged(block(), { by: stranger }), 'signature-invalid')
    const good = block()
    assert.equal(await judged({ ...good, payload: { ...good.payload, gasUsed: 1n } }), UNKNOWN_HASH)
    const withdrawal = { index: 0n, validatorIndex: 0n, address: good.payload.feeRecipient, amountGwei: 1n }
    assert.equal(await judged(block({ version: 2, change: { withdrawals: [withdrawal] } })), 'has withdrawals')
  })

  it('a peer that relays a late copy of a seen block, given a second signature by somebody else, is not blamed for its age', async () => {
    let nowSec = NOW_SEC
    const options = { chainId: CHAIN_ID, signer: () => signer.address, nowMs: () => nowSec * 1000, usesBlobGasField: () => false, crypto }
    const [seasoned, restarted] = [createBlockValidator(options), createBlockValidator(options)]
    const { message } = await encodeBlockMessage(CHAIN_ID, signer, block())
    assert.equal(outcome(seasoned.judge(4, message)), 'accept')
    const twin = withOtherSignature(message)
    nowSec = NOW_SEC + 60
    assert.equal(outcome(restarted.judge(4, twin)), 'accept', 'in time, and new to a peer that has just started')
    nowSec = NOW_SEC + 61
    assert.equal(outcome(seasoned.judge(4, twin)), 'already-seen')
    assert.equal(outcome(newValidator(false, nowSec).judge(4, twin)), 'timestamp-too-old', 'where the block was not seen')
    nowSec = NOW_SEC + 66
    assert.equal(outcome(seasoned.judge(4, twin)), 'timestamp-too-old', 'later than any relay')
  })

  it('lets the blob gas field be used only where the chain gives it a meaning', async () => {
    assert.equal(await judged(block({ change: { blobGasUsed: 5n } })), 'states blob gas used')
    assert.equal(await judged(block({ change: { blobGasUsed: 5n } }), { jovian: true }), 'accept')
  })

  it('stops after six different blocks at one height', async () => {
    const validator = newValidator()
    const outcomes: string[] = []
    for (let gasUsed = 1n; gasUsed <= 7n; gasUsed++) {
      const { message } = await encodeBlockMessage(CHAIN_ID, signer, block({ change: { gasUsed } }))
      outcomes.push(outcome(validator.judge(4, message)))
    }
    assert.deepEqual(outcomes, [...Array(6).fill('accept'), 'too-many-blocks-at-height'])
  })

  it('does not remember blocks that nobody signed', async () => {
    const validator = newValidator()
    for (let gasUsed = 1n; gasUsed <= 10n; gasUsed++) {
      const { message } = await encodeBlockMessage(CHAIN_ID, stranger, block({ change: { gasUsed } }))
      assert.equal(outcome(validator.judge(4, message)), 'signature-invalid')
    }
    const { message } = await encodeBlockMessage(CHAIN_ID, signer, block())
    assert.equal(outcome(validator.judge(4, message)), 'accept')
  })

  it('copies of a seen block under other signatures are no free messages: each signature is checked', async () => {
    let by = signer.address
    const validator = createBlockValidator({
      chainId: CHAIN_ID,
      signer: () => by,
      nowMs: () => NOW_SEC * 1000,
      usesBlobGasField: () => false,
      crypto,
    })
    const { message } = await encodeBlockMessage(CHAIN_ID, signer, block())
    assert.equal(outcome(validator.judge(4, message)), 'accept')
    const signedPart = encodeSignedPart(block())
    for (let i = 0; i < 70; i++) {
      const signature = new Uint8Array(65).fill(i)
      signature[64] = 0
      assert.equal(outcome(validator.judge(4, snappyCompress(concatBytes(signature, signedPart)))), 'signature-invalid')
    }
    by = stranger.address
    const { message: signedAgain } = await encodeBlockMessage(CHAIN_ID, stranger, block())
    assert.equal(outcome(validator.judge(4, signedAgain)), 'already-seen', 'signed again by the next signer')
    assert.equal(outcome(validator.judge(4, message)), 'already-seen')
  })

  it('refuses a signature whose last byte is not a parity', async () => {
    const signedPart = encodeSignedPart(block())
    const signature = new Uint8Array(65).fill(1)
    signature[64] = 27
    assert.equal(outcome(newValidator().judge(4, snappyCompress(concatBytes(signature, signedPart)))), 'signature-invalid')
  })
})
