import assert from 'node:assert/strict'
import { createMemoryStore } from '@keelson/runtime'
import { addressOf, hashOf } from '../attestation.test-support.ts'
import type { KeyPosition } from '../staking/staking-chain.ts'
import { createDutyWorld, type DutyWorld, TERMS } from './duty-world.test-support.ts'

const KEY = addressOf(0)
/** First block of epoch 6, the first that a process begun at block 58 attests in after two epochs of listening. */
const SLOT = 90
const LISTENING = { doppelgangerEpochs: 2, slashingsKnownUntil: 0 }
const DOPPELGANGER = { code: 'consensus/doppelganger', message: /Do not restart/ }

/** A process that has signed and sent at the slot of epoch 6; nothing is mined yet. */
async function sentAtSlot(): Promise<DutyWorld> {
  const world = await createDutyWorld({ head: 58, loop: LISTENING })
  await world.loop.step()
  await world.moveTo(SLOT)
  assert.deepEqual(await world.step(), ['sent'])
  return world
}

/** The process ends, and another takes over its disk at each of these heads; the last one. */
async function restarted(first: DutyWorld, heads: readonly number[]): Promise<DutyWorld> {
  let world = first
  for (const head of heads) {
    world = await createDutyWorld({ head, store: first.store, loop: LISTENING })
    assert.deepEqual(await world.step(), ['listening'], `at block ${head}`)
  }
  return world
}

const RESTARTS: readonly { readonly what: string; readonly heads: readonly number[] }[] = [
  { what: 'a restart at the head it ended at', heads: [SLOT] },
  { what: 'a restart some blocks later', heads: [SLOT + 2] },
  { what: 'two restarts within one epoch', heads: [SLOT + 2, SLOT + 4] },
  { what: 'a restart whose execution client came back a block lower', heads: [SLOT - 1] },
  { what: 'restarts whose execution client came back an epoch lower, then higher', heads: [SLOT - 14, SLOT - 1, SLOT + 1] },
]

for (const { what, heads } of RESTARTS) {
  describe(`an own attestation that comes in after ${what}`, () => {
    it('on chain is no other machine', async () => {
      const first = await sentAtSlot()
      const last = await restarted(first, heads)
      last.state.sent.push(first.state.sent[0] as (typeof first.state.sent)[0])
      await last.include(SLOT + 5)
      await last.moveTo(SLOT + 6)
      assert.deepEqual(await last.step(), ['attested'])
    })

    it('by gossip is no other machine', async () => {
      const first = await sentAtSlot()
      const last = await restarted(first, heads)
      last.state.gossip = first.state.published.map((signed) => ({ ...signed, validator: KEY, seenMs: 0 }))
      await last.moveTo(SLOT + 6)
      assert.deepEqual(await last.step(), ['listening'])
    })

    it('is told from one that another machine made', async () => {
      const first = await sentAtSlot()
      const last = await restarted(first, heads)
      await last.moveTo(SLOT + 6)
      const event = { validator: KEY, epoch: 6, checkpointNumber: 33, checkpointHash: hashOf(33), weightWei: 1n, lateBlocks: 5 }
      last.state.events.attested.push({ ...event, blockNumber: SLOT + 5 })
      await assert.rejects(last.loop.step(), DOPPELGANGER)
    })
  })
}

it('what was attested before the start is no other machine', async () => {
  const world = await createDutyWorld({ head: SLOT, store: createMemoryStore(), loop: LISTENING })
  const event = { validator: KEY, epoch: 5, checkpointNumber: 33, checkpointHash: hashOf(33), weightWei: 1n, lateBlocks: 1 }
  world.state.events.attested.push({ ...event, blockNumber: SLOT - 10 })
  assert.deepEqual(await world.step(), ['listening'])
  await world.moveTo(SLOT + 3)
  assert.deepEqual(await world.step(), ['listening'])
})

describe('two machines that start together with one key', () => {
  const start = (chance: number) => createDutyWorld({ head: 58, loop: LISTENING, chance })

  it('hear each other: one signs first, still in time, and the other does not sign at all', async () => {
    const [first, second] = [await start(0.2), await start(0.8)]
    for (const world of [first, second]) await world.loop.step()
    const signed = async (world: DutyWorld) => {
      for (let head = SLOT; head < SLOT + 15; head++) {
        await world.moveTo(head)
        if ((await world.step())[0] === 'sent') return head
      }
      return null
    }
    const at = await signed(first)
    assert.ok(at !== null && at > SLOT && at <= SLOT + TERMS.graceBlocks)
    second.state.gossip = first.state.published.map((attestation) => ({ ...attestation, validator: KEY, seenMs: 0 }))
    await second.moveTo(at + 1)
    await assert.rejects(second.loop.step(), DOPPELGANGER)
    assert.deepEqual(second.state.signed, [])
  })

  it('wait by chance what the time of grace allows, and only in the first epoch', async () => {
    for (const [chance, wait] of [
      [0, 0],
      [0.5, 4],
      [0.999, 7],
    ] as const) {
      const world = await start(chance)
      await world.loop.step()
      await world.moveTo(SLOT + wait - 1)
      assert.deepEqual(await world.step(), ['listening'])
      await world.moveTo(SLOT + wait)
      assert.deepEqual(await world.step(), ['sent'])
      await world.include(SLOT + wait + 1)
      await world.moveTo(SLOT + TERMS.epochBlocks)
      assert.deepEqual(await world.step(), ['sent'])
    }
  })
})

describe('a slashing whose event the execution client holds back', () => {
  const change = (world: DutyWorld, record: Partial<NonNullable<KeyPosition['record']>>) => {
    const position = world.state.positions.get(KEY) as KeyPosition
    world.change(KEY, { record: { ...(position.record as NonNullable<KeyPosition['record']>), ...record } })
  }
  const SLASHED = { code: 'consensus/slashed' }

  it('is seen in what the contract keeps: out for good, or a wrong attestation whose price is open', async () => {
    for (const record of [{ slashed: true }, { openOffences: 1 }]) {
      const world = await createDutyWorld({ head: 58 })
      await world.loop.step()
      await world.moveTo(60)
      change(world, record)
      await assert.rejects(world.loop.step(), SLASHED)
      assert.deepEqual(world.state.signed, [])
      assert.notEqual(world.protection.stopped(), null)
    }
  })

  it('that is known to the operator stops nothing, until there is another', async () => {
    const world = await createDutyWorld({ head: 58, loop: { slashingsKnownUntil: 50 } })
    change(world, { openOffences: 1 })
    assert.deepEqual(await world.step(), ['listening'])
    change(world, { openOffences: 2 })
    await assert.rejects(world.loop.step(), SLASHED)
  })
})
