import assert from 'node:assert/strict'
import { addressOf } from '../attestation.test-support.ts'
import type { KeyPosition } from '../staking/staking-chain.ts'
import { type ChainTime, whyHeadIsAbsurd } from './absurd-answer.ts'
import { createDutyWorld, type DutyWorld, TERMS } from './duty-world.test-support.ts'

const KEY = addressOf(0)
const SLOT = 60

async function assertUnharmed(world: DutyWorld): Promise<void> {
  const step = await world.loop.step()
  assert.ok(step.kind === 'waiting' && /mistrust the node/.test(step.reason))
  assert.match(world.loop.trouble()?.reason ?? '', /mistrust the node/)
  await world.loop.step()
  assert.equal(world.log.matching('impossible answer of the execution client').length, 1)
  assert.equal(await world.protection.watermark(KEY), null)
}

async function assertGoesOn(world: DutyWorld): Promise<void> {
  await world.moveTo(SLOT - 1)
  assert.deepEqual(await world.step(), ['listening'])
  await world.moveTo(SLOT)
  assert.deepEqual(await world.step(), ['sent'])
}

describe('one absurd answer of the execution client does not lock a key', () => {
  it('about the epoch it attested in last', async () => {
    const world = await createDutyWorld({ head: SLOT - 2 })
    const { duty } = world.state.positions.get(KEY) as KeyPosition
    world.change(KEY, { duty: { ...duty, lastEpoch: 2 ** 40 } })
    await assertUnharmed(world)
    world.change(KEY, { duty })
    await assertGoesOn(world)
  })

  it('about the head', async () => {
    const world = await createDutyWorld({ head: SLOT - 2 })
    world.state.headNumber = 2 ** 40
    await assertUnharmed(world)
    world.state.headNumber = null
    await assertGoesOn(world)
  })

  it('after it has begun to attest', async () => {
    const world = await createDutyWorld({ head: SLOT - 2 })
    await world.loop.step()
    await world.moveTo(SLOT)
    world.state.headNumber = 2 ** 40
    assert.equal((await world.loop.step()).kind, 'waiting')
    assert.deepEqual(world.state.signed, [])
    world.state.headNumber = null
    assert.deepEqual(await world.step(), ['sent'])
    assert.deepEqual(
      world.state.signed.map(({ epoch }) => epoch),
      [4],
    )
  })
})

describe('whether a head can be true', () => {
  const time: ChainTime = { nowSec: 1_000_120, genesisTimeSec: 1_000_000, blockTimeSec: 2, toleranceSec: 60 }
  const head = (number: number, timestampSec: number) => ({ number, timestampSec, hash: `0x${'00'.repeat(32)}` as never })
  const cases: readonly (readonly [string, string | null, RegExp | null])[] = [
    ['a block for each block time', whyHeadIsAbsurd(head(60, 1_000_120), TERMS, time), null],
    ['fewer blocks than that', whyHeadIsAbsurd(head(12, 1_000_120), TERMS, time), null],
    ['a block more than there was time for', whyHeadIsAbsurd(head(61, 1_000_120), TERMS, time), /has 60 at most by 1000120/],
    ['as far ahead of the clock as is let pass', whyHeadIsAbsurd(head(60, 1_000_180), TERMS, time), null],
    ['ahead of the clock', whyHeadIsAbsurd(head(60, 1_000_181), TERMS, time), /61 s ahead of this machine's clock/],
    ['epochs without blocks', whyHeadIsAbsurd(head(60, 1_000_120), { ...TERMS, epochBlocks: 0 }, time), /an epoch has 0 blocks/],
  ]
  for (const [what, found, expected] of cases) {
    it(what, () => (expected === null ? assert.equal(found, null) : assert.match(found ?? '', expected)))
  }
})
