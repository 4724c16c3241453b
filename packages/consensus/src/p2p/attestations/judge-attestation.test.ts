import assert from 'node:assert/strict'
import type { SignedAttestation } from '@keelson/contracts'
import { toAddress, toHash, ZERO_HASH } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import { snappyCompress } from '@keelson/runtime/snappy'
import fc from 'fast-check'
import { attestationsTopic, decodeAttestationMessage, encodeAttestationMessage } from './attestation-message.ts'
import { createAttestationPool } from './attestation-pool.ts'
import { addressOf, attest, createStubContract, crypto, DOMAIN, EPOCH_BLOCKS } from './attestations.test-support.ts'
import { type AttestationJudgement, createAttestationJudge } from './judge-attestation.ts'
import { createStakingView } from './staking-view.ts'

const NEVER = new AbortController().signal
const [ACTIVE, ALSO_ACTIVE, STRANGER] = [1, 2, 9] as const

async function newJudge(unsafe: number, safe = unsafe - 5) {
  const clock = createManualClock(1_800_000_000_000)
  const contract = createStubContract(ACTIVE, ALSO_ACTIVE)
  const view = createStakingView({ contract: DOMAIN.contract, reader: contract.reader, clock })
  const pool = createAttestationPool()
  const at = { heads: { unsafe, safe } as { unsafe: number; safe: number } | null }
  const judge = createAttestationJudge({ domain: DOMAIN, view, pool, heads: () => at.heads, crypto, clock, patienceMs: 4_000 })
  await view.refresh()
  const add = (judgement: AttestationJudgement) => {
    if (judgement.verdict === 'accept') pool.add({ ...judgement.signed, validator: judgement.validator, seenMs: 0 }, judgement.digest)
    return outcome(judgement)
  }
  return {
    clock,
    contract,
    view,
    pool,
    at,
    judge,
    of: async (signed: SignedAttestation) => add(await judge.judgeMessage(encodeAttestationMessage(signed), 'a', NEVER)),
    message: async (message: Uint8Array) => outcome(await judge.judgeMessage(message, 'a', NEVER)),
  }
}

function outcome(judgement: AttestationJudgement): string {
  return judgement.verdict === 'accept' ? `accept${judgement.second ? ' second' : ''}` : `${judgement.verdict} ${judgement.reason}`
}

describe('a gossiped attestation', () => {
  it('is 153 bytes behind snappy, on a topic of its own', () => {
    const signed = attest(ACTIVE, 7)
    assert.deepEqual(decodeAttestationMessage(encodeAttestationMessage(signed)), signed)
    assert.equal(attestationsTopic(84532n), '/keelson/84532/0/attestations')
  })

  it('in any bytes is an attestation that comes back the same, or a mistake with a name', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 300 }), fc.boolean(), (bytes, compressed) => {
        const read = decodeAttestationMessage(compressed ? snappyCompress(bytes) : bytes)
        if (typeof read === 'string') return ['too-large', 'compression-invalid', 'encoding-invalid'].includes(read)
        assert.deepEqual(decodeAttestationMessage(encodeAttestationMessage(read)), read)
        return true
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 153, maxLength: 153 }), (bytes) => {
        const read = decodeAttestationMessage(snappyCompress(bytes))
        // numbers from 2^53 on are invalid
        assert.equal(
          read === 'encoding-invalid',
          [0, 8, 48].some((at) => bytes[at] !== 0 || (bytes[at + 1] as number) > 0x1f),
        )
      }),
    )
  })
})

describe('judging attestations', () => {
  it('takes one of an active validator for the current epoch or the one before, once', async () => {
    const { of, pool } = await newJudge(75)
    assert.equal(await of(attest(ACTIVE, 7)), 'accept')
    assert.equal(await of(attest(ACTIVE, 6)), 'accept')
    assert.equal(await of(attest(ALSO_ACTIVE, 7)), 'accept')
    assert.equal(await of(attest(ACTIVE, 7)), 'ignore already-seen')
    assert.deepEqual(
      pool.of(7).map(({ validator }) => validator),
      [addressOf(ACTIVE), addressOf(ALSO_ACTIVE)],
    )
  })

  it('a second different one is evidence and is relayed, a third adds nothing', async () => {
    const { of } = await newJudge(75)
    assert.equal(await of(attest(ACTIVE, 7)), 'accept')
    assert.equal(await of(attest(ACTIVE, 7, { checkpointNumber: 65 })), 'accept second')
    assert.equal(await of(attest(ACTIVE, 7, { checkpointNumber: 64 })), 'ignore enough-seen')
    assert.equal(await of(attest(ACTIVE, 6, { checkpointNumber: 64 })), 'accept')
  })

  it("another's signature under an attestation does not block the validator's own", async () => {
    const { of, pool } = await newJudge(75)
    const own = attest(ACTIVE, 7)
    for (const by of [STRANGER, ALSO_ACTIVE]) await of({ ...own, signature: attest(by, 7).signature })
    for (const field of ['checkpointNumber', 'l1OriginNumber'] as const) {
      await of({ ...own, attestation: { ...own.attestation, [field]: own.attestation[field] + 1 } })
    }
    for (const field of ['checkpointHash', 'l1OriginHash'] as const) {
      await of({ ...own, attestation: { ...own.attestation, [field]: toHash(`0x${'77'.repeat(32)}`) } })
    }
    assert.equal(await of(own), 'accept')
    assert.deepEqual(
      pool.of(7).flatMap(({ validator, attestation }) => (validator === addressOf(ACTIVE) ? [attestation] : [])),
      [own.attestation],
    )
  })

  it('rejects what is wrong on every chain and at every time', async () => {
    const { message, of } = await newJudge(75)
    const good = encodeAttestationMessage(attest(ACTIVE, 7))
    assert.equal(await message(new Uint8Array(257)), 'reject too-large')
    assert.equal(await message(new Uint8Array(0)), 'reject encoding-invalid')
    assert.equal(await message(snappyCompress(new Uint8Array(152))), 'reject encoding-invalid')
    assert.equal(await message(good.subarray(0, good.length - 1)), 'reject compression-invalid')
    const unsigned = attest(ACTIVE, 7)
    assert.equal(await of({ ...unsigned, signature: new Uint8Array(65) }), 'reject signature-invalid')
    assert.equal(
      await of({ ...unsigned, signature: unsigned.signature.map((byte, at) => (at === 64 ? 29 : byte)) }),
      'reject signature-invalid',
    )
    const full = unsigned.signature.map((byte, at) => (at < 64 ? 0xff : byte))
    assert.equal(await of({ ...unsigned, signature: full }), 'reject signature-invalid')
  })

  it('rejects who is not active only where that cannot change any more', async () => {
    const settled = await newJudge(75, 70)
    assert.equal(await settled.of(attest(STRANGER, 7)), 'reject not-active')
    const open = await newJudge(75, 69)
    assert.equal(await open.of(attest(STRANGER, 7)), 'ignore maybe-not-active')
    assert.equal(
      await settled.of({ ...attest(ACTIVE, 7), attestation: attest(ACTIVE, 7, { l1OriginHash: ZERO_HASH }).attestation }),
      'reject not-active',
    )
  })

  it('ignores, and holds against nobody, what this node cannot know', async () => {
    const { of, contract, at, clock, view } = await newJudge(75, 70)
    assert.equal(await of(attest(ACTIVE, 5)), 'ignore epoch-over')
    assert.equal(await of(attest(ACTIVE, 9)), 'ignore epoch-to-come')
    contract.down = true
    assert.equal(await of(attest(ACTIVE, 7)), 'ignore weight-unknown')
    assert.equal(await of(attest(STRANGER, 7)), 'ignore weight-unknown')
    contract.down = false
    assert.equal(await of(attest(ACTIVE, 7)), 'accept', 'it was not kept as unknown')
    at.heads = null
    assert.equal(await of(attest(ACTIVE, 6)), 'ignore head-unknown')
    at.heads = { unsafe: 75, safe: 70 }
    contract.anchor = ZERO_HASH
    await view.refresh()
    await clock.advance(1)
    assert.equal(await of(attest(ACTIVE, 6)), 'ignore off')
  })

  it('waits a moment for the first block of an epoch, as blocks and attestations race', async () => {
    const { judge, clock, at } = await newJudge(79)
    const early = judge.judge(attest(ACTIVE, 8), NEVER)
    await clock.advance(1_000)
    at.heads = { unsafe: 80, safe: 70 }
    await clock.advance(200)
    assert.equal(outcome(await early), 'accept')
    const never = judge.judge(attest(ACTIVE, 9), NEVER)
    for (let waited = 0; waited < 4_000; waited += 200) await clock.advance(200)
    assert.equal(outcome(await never), 'ignore epoch-to-come')
  })

  it('lets a bounded number wait', async () => {
    const { judge, clock } = await newJudge(79)
    const many = Array.from({ length: 257 }, (_, i) => judge.judge(attest(ACTIVE, 8, { checkpointNumber: i }), NEVER))
    const last = await (many.at(-1) as Promise<AttestationJudgement>)
    assert.equal(outcome(last), 'ignore too-many-waiting')
    for (let waited = 0; waited < 4_000; waited += 200) await clock.advance(200)
    assert.deepEqual([...new Set((await Promise.all(many.slice(0, -1))).map(outcome))], ['ignore epoch-to-come'])
  })

  it('asks for a weight once a minute, not once a message', async () => {
    const { of, contract, clock } = await newJudge(75, 70)
    for (let i = 0; i < 20; i++) await of(attest(STRANGER, 7, { checkpointNumber: i }))
    assert.equal(contract.asked, 1)
    await clock.advance(60_001)
    await of(attest(STRANGER, 7))
    assert.equal(contract.asked, 2)
  })
})

describe('the pool of attestations', () => {
  it('keeps the last epochs, and tells what is to be compared with a final block', () => {
    const pool = createAttestationPool()
    for (let epoch = 1; epoch <= 100; epoch++) {
      const { attestation, signature } = attest(ACTIVE, epoch)
      pool.add({ attestation, signature, validator: addressOf(ACTIVE), seenMs: 0 }, new Uint8Array(32).fill(epoch))
    }
    assert.equal(pool.size, 64)
    assert.deepEqual(pool.of(36), [])
    assert.equal(pool.of(37).length, 1)
    const due = pool.uncompared(36 * EPOCH_BLOCKS, 38 * EPOCH_BLOCKS - 2)
    assert.deepEqual(
      due.map(({ attestation }) => attestation.epoch),
      [38, 37],
    )
    for (const seen of due) seen.compared = true
    assert.deepEqual(pool.uncompared(36 * EPOCH_BLOCKS, 38 * EPOCH_BLOCKS - 2), [])
  })

  it('has room for a bounded number of validators', () => {
    const pool = createAttestationPool()
    const digest = new Uint8Array(32)
    const { attestation, signature } = attest(ACTIVE, 7)
    for (let i = 0; i < 1_024; i++) {
      const validator = toAddress(`0x${i.toString(16).padStart(40, '0')}`)
      pool.add({ attestation, signature, validator, seenMs: 0 }, digest)
    }
    assert.equal(pool.look(addressOf(ACTIVE), 7, digest), 'enough')
    assert.equal(pool.look(addressOf(ACTIVE), 8, digest), 'new')
  })
})
