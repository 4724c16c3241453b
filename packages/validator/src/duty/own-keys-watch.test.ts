import assert from 'node:assert/strict'
import { type Attestation, OWN_CONTRACTS } from '@keelson/contracts'
import { createMemoryStore } from '@keelson/runtime'
import { ANCHOR, addressOf, hashOf } from '../attestation.test-support.ts'
import { createSlashingProtection } from '../protection/create-protection.ts'
import { initialiseProtectionStore } from '../protection/protection-store.ts'
import { createDutyWorld, type DutyWorld, TERMS } from './duty-world.test-support.ts'

const KEY = addressOf(0)
const [SLOT, NEXT] = [60, 75]

async function ready(options: Parameters<typeof createDutyWorld>[0] = {}): Promise<DutyWorld> {
  const world = await createDutyWorld({ head: SLOT - 2, ...options })
  await world.loop.step()
  return world
}

describe('another machine with the same key', () => {
  const DOPPELGANGER = { code: 'consensus/doppelganger', message: /Do not restart/ }
  const ELSEWHERE = { checkpointNumber: 33, checkpointHash: hashOf(33), l1OriginNumber: 5, l1OriginHash: hashOf(7_000_005) }
  const foreign = (epoch: number, blockNumber: number, changes: Partial<Attestation> = {}) => ({
    validator: KEY,
    epoch,
    checkpointNumber: 33,
    checkpointHash: hashOf(33),
    signed: { attestation: { epoch, ...ELSEWHERE, ...changes }, signature: new Uint8Array(65) },
    weightWei: 1n,
    lateBlocks: 1,
    blockNumber,
  })

  it('is listened for during whole epochs before anything is signed', async () => {
    const world = await createDutyWorld({ head: SLOT - 2, loop: { doppelgangerEpochs: 1 } })
    assert.deepEqual(await world.step(), ['listening'])
    await world.moveTo(SLOT + 3)
    assert.deepEqual(await world.step(), ['listening'])
    await world.moveTo(NEXT)
    assert.deepEqual(await world.step(), ['sent'])
  })

  it('shows itself on chain', async () => {
    const world = await createDutyWorld({ head: SLOT - 2, loop: { doppelgangerEpochs: 1 } })
    await world.loop.step()
    world.state.events.attested.push(foreign(4, SLOT + 2))
    await world.moveTo(SLOT + 3)
    await assert.rejects(world.loop.step(), DOPPELGANGER)
    assert.deepEqual(world.state.signed, [])
  })

  it('shows itself on gossip', async () => {
    const world = await createDutyWorld({ head: SLOT - 2, loop: { doppelgangerEpochs: 1 } })
    await world.loop.step()
    const attestation = { epoch: 4, checkpointNumber: 33, checkpointHash: hashOf(33), l1OriginNumber: 1, l1OriginHash: hashOf(1) }
    world.state.gossip.push({ validator: KEY, seenMs: 0, attestation, signature: new Uint8Array(65) })
    await world.moveTo(SLOT + 1)
    await assert.rejects(world.loop.step(), DOPPELGANGER)
  })

  it('is found also later, when it attests to something else than this one', async () => {
    const world = await ready()
    await world.moveTo(SLOT)
    await world.step()
    world.state.events.attested.push(foreign(4, SLOT + 1))
    await world.moveTo(SLOT + 1)
    await assert.rejects(world.loop.step(), DOPPELGANGER)
  })

  it('is detected when it attests to the same block with another L1 origin', async () => {
    const world = await ready()
    await world.moveTo(SLOT)
    await world.step()
    const mine = world.state.published[0]?.attestation
    assert.ok(mine !== undefined)
    world.state.events.attested.push(foreign(4, SLOT + 1, mine))
    await world.moveTo(SLOT + 1)
    assert.deepEqual(await world.step(), ['under-way'])
    world.state.events.attested.push(foreign(4, SLOT + 2, { ...mine, l1OriginHash: hashOf(666) }))
    await world.moveTo(SLOT + 2)
    await assert.rejects(world.loop.step(), DOPPELGANGER)
  })

  it('is not inferred from an attestation that the previous machine sent in the start epoch and that is mined after the start', async () => {
    const before = createMemoryStore()
    await initialiseProtectionStore(before, { nowMs: () => 0 })
    const old = createSlashingProtection(before, { clock: { nowMs: () => 0 } })
    await old.beginKey(KEY)
    const { attestation } = foreign(3, 58).signed
    const domain = { chainId: 901n, contract: OWN_CONTRACTS.Staking }
    assert.equal((await old.admitAttestation(KEY, { domain, anchor: ANCHOR, attestation })).verdict, 'new')

    const world = await createDutyWorld({ head: 57, loop: { doppelgangerEpochs: 1 } })
    await world.protection.importInterchange(await old.exportInterchange())
    assert.deepEqual(await world.step(), ['listening'])
    world.state.events.attested.push(foreign(3, 58))
    for (const head of [58, 59, SLOT + 3]) {
      await world.moveTo(head)
      assert.deepEqual(await world.step(), ['listening'])
    }
    assert.equal(world.log.matching('make sure that it has stopped').length, 1)
    await world.moveTo(NEXT)
    assert.deepEqual(await world.step(), ['sent'])
    assert.deepEqual(
      world.state.signed.map((one) => one.epoch),
      [5],
    )
  })

  it('is not inferred from it when this node was an epoch behind at the start', async () => {
    const world = await createDutyWorld({ head: 57, loop: { doppelgangerEpochs: 1 } })
    await world.clock.advance(8_000)
    assert.deepEqual(await world.step(), ['listening'])
    world.state.events.attested.push(foreign(4, SLOT))
    await world.moveTo(SLOT + 3)
    assert.deepEqual(await world.step(), ['listening'])
    await world.moveTo(NEXT)
    assert.deepEqual(await world.step(), ['listening'], 'a whole epoch is listened to after the one that the chain was in')
    await world.moveTo(NEXT + TERMS.epochBlocks)
    assert.deepEqual(await world.step(), ['sent'])
  })

  it('is detected in the next epoch if the previous machine is still running', async () => {
    const world = await createDutyWorld({ head: 57, loop: { doppelgangerEpochs: 1 } })
    await world.step()
    world.state.events.attested.push(foreign(3, 58))
    await world.moveTo(58)
    assert.deepEqual(await world.step(), ['listening'])
    world.state.events.attested.push(foreign(4, SLOT + 1))
    await world.moveTo(SLOT + 1)
    await assert.rejects(world.loop.step(), DOPPELGANGER)
    assert.deepEqual(world.state.signed, [])
  })

  it('not listening is warned of', async () => {
    const world = await ready()
    assert.equal(world.log.matching('not listening').length, 1)
  })
})

describe('a slashed key', () => {
  const SLASHED = { code: 'consensus/slashed', message: /clear-stop/ }
  const slash = (offence: 'double-attestation' | 'downtime' | 'invalid-attestation', blockNumber: number) => ({
    validator: KEY,
    offence,
    epoch: 4,
    amountWei: 1_000n,
    blockNumber,
  })

  for (const offence of ['double-attestation', 'invalid-attestation'] as const) {
    it(`stops all keys at once, also after a restart: ${offence}`, async () => {
      const store = createMemoryStore()
      const world = await ready({ store, keys: 2 })
      world.state.events.slashed.push(slash(offence, SLOT))
      await world.moveTo(SLOT)
      await assert.rejects(world.loop.step(), SLASHED)
      assert.deepEqual(world.state.signed, [])
      const again = await createDutyWorld({ store, keys: 2 })
      await assert.rejects(again.loop.step(), SLASHED)
      await again.protection.clearStop()
      assert.deepEqual(await again.step(), ['listening', 'listening'])
    })
  }

  it('stops them when the chain says that it is out', async () => {
    const world = await ready({ keys: 2 })
    const position = world.state.positions.get(KEY)
    world.change(KEY, { record: { ...(position?.record as NonNullable<NonNullable<typeof position>['record']>), slashed: true } })
    await world.moveTo(SLOT)
    await assert.rejects(world.loop.step(), SLASHED)
    assert.notEqual(world.protection.stopped(), null)
  })

  it('is found when it happened while nothing ran, unless the operator knows of it', async () => {
    const event = slash('invalid-attestation', 50)
    const world = await createDutyWorld({ head: 100 })
    world.state.events.slashed.push(event)
    await assert.rejects(world.loop.step(), SLASHED)
    const known = await createDutyWorld({ head: 100, loop: { slashingsKnownUntil: 50 } })
    known.state.events.slashed.push(event)
    assert.deepEqual(await known.step(), ['listening'])
  })

  it('is not one that was silent for long', async () => {
    const world = await ready()
    world.state.events.slashed.push(slash('downtime', SLOT))
    await world.moveTo(SLOT)
    assert.deepEqual(await world.step(), ['sent'])
  })

  it('ends the service, which says why', async () => {
    const world = await ready()
    await world.protection.stop('for a test')
    await world.loop.start(new AbortController().signal)
    await assert.rejects(world.loop.failure, SLASHED)
    await world.loop.stop()
  })
})

it('periods of the test are those of the development network', () => assert.equal(TERMS.epochBlocks, NEXT - SLOT))
