import assert from 'node:assert/strict'
import type { L2BlockRef } from '@keelson/primitives'
import { hashOf } from '../attestation.test-support.ts'
import { createDutyWorld, type DutyWorld } from './duty-world.test-support.ts'

const SLOT = 60

async function atSlot(options: Parameters<typeof createDutyWorld>[0] = {}): Promise<DutyWorld> {
  const world = await createDutyWorld({ head: SLOT - 2, ...options })
  await world.loop.step()
  await world.moveTo(SLOT)
  return world
}

async function assertSignsNothing(world: DutyWorld, why: RegExp): Promise<void> {
  assert.deepEqual(await world.step(), ['waiting'])
  assert.match(world.loop.trouble()?.reason ?? '', why)
  assert.deepEqual([world.state.signed, world.state.published, world.state.sent], [[], [], []])
}

describe('what the consensus client says is final', () => {
  it('is not attested to where the execution client has not finalized: a block that may still go', async () => {
    const world = await atSlot({ finalized: 55 })
    world.state.executionFinal = 44
    assert.deepEqual(await world.step(), ['sent'])
    const attestation = world.state.published[0]?.attestation
    assert.deepEqual([attestation?.checkpointNumber, attestation?.checkpointHash], [44, hashOf(44)])
  })

  it('is not attested to while the execution client has finalized nothing', async () => {
    const world = await atSlot()
    for (const none of [0, null]) {
      world.state.executionFinal = none
      await assertSignsNothing(world, /the execution client has no final block/)
    }
  })

  it('is not attested to under another hash than the execution client has, which is logged and counted', async () => {
    const world = await atSlot()
    world.state.hashes.set(40, hashOf(1))
    await assertSignsNothing(world, /not of one chain/)
    await assertSignsNothing(world, /not of one chain/)
    assert.equal(world.log.matching('nodes do not agree on what is final').length, 1)
    assert.match((await world.metric('checkpoint_disagreements_total')) ?? '', / 2$/)
  })

  it('is not attested to when the answer is about another block than was asked for', async () => {
    const world = await atSlot({ finalized: 55 })
    world.state.executionFinal = 44
    world.state.outputs.set(44, world.ref(43))
    await assertSignsNothing(world, /asked for block 44 and answered with block 43/)
  })
})

describe('finality that stalls for longer than the chain serves block hashes', () => {
  const FAR = 60 + 8_191 + 15

  it('signs neither for a block that is only safe nor for one that the contract cannot look up', async () => {
    const world = await createDutyWorld({ head: FAR - 20, finalized: 55 })
    await world.step()
    for (const head of [FAR, FAR + 15]) {
      await world.moveTo(head)
      await assertSignsNothing(world, /the newest final block, 55, is \d+ blocks old.*only a final block is attested to/)
    }
    world.state.finalized = FAR - 100
    assert.deepEqual(await world.step(), ['sent'])
    assert.equal(world.state.published[0]?.attestation.checkpointNumber, FAR - 100)
  })

  it('never signs two checkpoints in one epoch, whatever becomes final in between', async () => {
    const world = await atSlot({ finalized: 40 })
    assert.deepEqual(await world.step(), ['sent'])
    world.state.hashes.set(40, hashOf(666))
    world.state.finalized = 45
    await world.moveTo(SLOT + 2)
    await world.step()
    const again = await createDutyWorld({ store: world.store, head: SLOT + 3, finalized: 45 })
    await again.step()
    await again.moveTo(SLOT + 5)
    await again.step()
    const epochs = [...world.state.signed, ...again.state.signed].filter(({ epoch }) => epoch === 4)
    assert.equal(new Set(epochs.map(({ digest }) => digest)).size, 1)
  })
})

describe('a second consensus client', () => {
  const lies: Readonly<Record<string, (block: L2BlockRef) => L2BlockRef>> = {
    'another block': (block) => ({ ...block, hash: hashOf(666) }),
    'another height': (block) => ({ ...block, number: block.number - 1 }),
    'another L1 block': (block) => ({ ...block, l1Origin: { ...block.l1Origin, hash: hashOf(666) } }),
    'another L1 height': (block) => ({ ...block, l1Origin: { ...block.l1Origin, number: 1 } }),
  }
  for (const [what, lie] of Object.entries(lies)) {
    it(`that says ${what} stops the signature, and is reported`, async () => {
      const world = await atSlot({ second: true })
      world.state.second.finalized = 40
      world.state.second.blocks.set(40, lie(world.ref(40)))
      await assertSignsNothing(world, /one of them is wrong or lies/)
      assert.equal(world.log.matching('nodes do not agree on what is final').length, 1)
      world.state.second.blocks.clear()
      assert.deepEqual(await world.step(), ['sent'])
      assert.equal(world.loop.trouble(), null)
    })
  }

  it('is waited for while it is behind or away', async () => {
    const world = await atSlot({ second: true })
    world.state.second.finalized = 39
    await assertSignsNothing(world, /block 40 is not final for the second consensus client .* which is at 39/)
    world.state.second.fails = true
    await assertSignsNothing(world, /second consensus client .* does not say what is final/)
    world.state.second = { ...world.state.second, fails: false, finalized: 41 }
    assert.deepEqual(await world.step(), ['sent'])
  })
})
