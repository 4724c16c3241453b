import assert from 'node:assert/strict'
import { type Hash, toHash } from '@keelson/primitives'
import { encodeAttestationMessage } from './attestation-message.ts'
import { addressOf, attest, EPOCH_BLOCKS, RIGHT } from './attestations.test-support.ts'
import { createServiceWorld, type ServiceWorld } from './service-world.test-support.ts'

const WRONG = toHash(`0x${'66'.repeat(32)}`)
const [ACCOMPLICE, LIAR, OTHER_ACCOMPLICE] = [1, 2, 3] as const

async function bring({ bring }: ServiceWorld, by: number, epoch: number, changes: Parameters<typeof attest>[2]): Promise<void> {
  assert.equal(await bring(encodeAttestationMessage(attest(by, epoch, changes)), 'peer'), 'accept')
}

const found = async ({ service }: ServiceWorld) =>
  (await service.offences()).invalidAttestations.map(({ validator, attestation }) => [validator, attestation.checkpointNumber])

describe('the search for wrong attestations', () => {
  it('continues past a height that cannot be read', async () => {
    const hashOf = async (number: number): Promise<Hash> => {
      if (number === 5) throw new Error('pruned history unavailable')
      return RIGHT
    }
    const world = await createServiceWorld({ hashOf, finalized: 70 })
    await bring(world, ACCOMPLICE, 7, { checkpointNumber: 5 })
    await bring(world, LIAR, 7, { checkpointHash: WRONG })
    await world.service.step()
    assert.deepEqual(await found(world), [[addressOf(LIAR), 68]])
  })

  it('continues past any number of heights that cannot be read, and does not retry them at every step', async () => {
    const asked: number[] = []
    const hashOf = async (number: number): Promise<Hash | null> => {
      asked.push(number)
      return number < 9_900_000 ? null : RIGHT
    }
    const world = await createServiceWorld({ hashOf })
    let epoch = 990_000
    for (let height = epoch * EPOCH_BLOCKS - 600; epoch < 990_060; epoch++) {
      Object.assign(world.heads, { unsafe: epoch * EPOCH_BLOCKS + 5, finalized: epoch * EPOCH_BLOCKS + 4 })
      for (const by of [ACCOMPLICE, OTHER_ACCOMPLICE]) {
        await bring(world, by, epoch, { checkpointNumber: height++ })
        await bring(world, by, epoch, { checkpointNumber: height++ })
      }
    }
    await bring(world, LIAR, epoch - 1, { checkpointNumber: 9_900_010, checkpointHash: WRONG })
    await world.service.step()
    assert.deepEqual(await found(world), [[addressOf(LIAR), 9_900_010]])
    for (let steps = 0; steps < 20; steps++) await world.service.step()
    assert.equal(new Set(asked).size, asked.length, 'no height is asked for twice within a minute')
    assert.ok(asked.length <= 241, `${asked.length}`)
  })

  it('skips heights that the contract can no longer verify', async () => {
    const asked: number[] = []
    const world = await createServiceWorld({
      async hashOf(number) {
        asked.push(number)
        return RIGHT
      },
    })
    Object.assign(world.heads, { unsafe: 10_005, finalized: 10_005 })
    for (const [by, checkpointNumber] of [
      [ACCOMPLICE, 10_005 - 8_192],
      [LIAR, 10_005 - 8_191],
      [OTHER_ACCOMPLICE, 10_005],
    ] as const) {
      await bring(world, by, 1_000, { checkpointNumber, checkpointHash: WRONG })
    }
    await world.service.step()
    assert.deepEqual(asked, [10_005 - 8_191], 'neither older ones nor the head, whose hash no contract knows')
    assert.deepEqual(await found(world), [[addressOf(LIAR), 10_005 - 8_191]])
  })

  it('retries heights that it could not read, and meanwhile reports what it has found', async () => {
    let isAway = true
    const world = await createServiceWorld({
      finalized: 70,
      async hashOf() {
        if (isAway) throw new Error('connection refused')
        return RIGHT
      },
    })
    await bring(world, ACCOMPLICE, 7, { checkpointNumber: 5 })
    await bring(world, ACCOMPLICE, 7, { checkpointNumber: 6 })
    await bring(world, LIAR, 7, { checkpointHash: WRONG })
    await world.service.step()
    const { doubleAttestations, invalidAttestations } = await world.service.offences()
    assert.deepEqual([doubleAttestations.length, invalidAttestations.length], [1, 0])
    isAway = false
    await world.clock.advance(60_000)
    await world.service.step()
    assert.deepEqual(await found(world), [[addressOf(LIAR), 68]])
  })
})

describe('a signature in another form', () => {
  /** Forms of a signature that need no key: s in the upper half, or v 0 or 1. */
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const highS = (signature: Uint8Array): Uint8Array => {
    const s = ORDER - BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString('hex')}`)
    const bytes = Uint8Array.from(signature)
    bytes.set(Buffer.from(s.toString(16).padStart(64, '0'), 'hex'), 32)
    bytes[64] = signature[64] === 27 ? 28 : 27
    return bytes
  }
  const shortV = (signature: Uint8Array) => signature.map((byte, at) => (at === 64 ? byte - 27 : byte))

  for (const [name, change] of [
    ['high s', highS],
    ['v of 0 or 1', shortV],
  ] as const) {
    it(`does not hide a second attestation of an epoch: ${name}`, async () => {
      const { bring, service, sent } = await createServiceWorld()
      const [first, second] = [attest(1, 7, { l1OriginNumber: 1 }), attest(1, 7, { l1OriginNumber: 2 })]
      assert.equal(await bring(encodeAttestationMessage(first), 'peer'), 'accept')
      const other = encodeAttestationMessage({ ...second, signature: change(second.signature) })
      assert.equal(await bring(other, 'peer'), 'ignore', 'these bytes go no further')
      assert.deepEqual(sent, [encodeAttestationMessage(second)], 'peers get the canonical form')
      assert.deepEqual((await service.offences()).doubleAttestations, [{ validator: addressOf(1), epoch: 7, first, second }])
    })

    it(`is no second message and no second attestation: ${name}`, async () => {
      const { bring, service, sent } = await createServiceWorld()
      const signed = attest(1, 7)
      assert.equal(await bring(encodeAttestationMessage(signed), 'peer'), 'accept')
      const other = { ...signed, signature: change(signed.signature) }
      assert.equal(await bring(encodeAttestationMessage(other), 'peer'), 'ignore')
      assert.equal(await service.publishAttestation(other), 'known')
      assert.deepEqual(sent, [])
      assert.deepEqual((await service.offences()).doubleAttestations, [])
    })

    it(`is published in the canonical one: ${name}`, async () => {
      const { service, sent } = await createServiceWorld()
      const signed = attest(1, 7)
      assert.equal(await service.publishAttestation({ ...signed, signature: change(signed.signature) }), 'accepted')
      assert.deepEqual(sent, [encodeAttestationMessage(signed)])
      assert.deepEqual((await service.attestations(7))[0]?.signature, signed.signature)
    })
  }
})
