import assert from 'node:assert/strict'
import { asCalled, createMemoryStore, nextTurn } from '@keelson/runtime'
import { addressOf, hashOf } from '../attestation.test-support.ts'
import { createDutyWorld, type DutyWorld } from './duty-world.test-support.ts'

const KEY = addressOf(0)
const [SLOT, NEXT] = [60, 75]

async function ready(options: Parameters<typeof createDutyWorld>[0] = {}): Promise<DutyWorld> {
  const world = await createDutyWorld({ head: SLOT - 2, ...options })
  await world.loop.step()
  return world
}

describe('duty loop', () => {
  it('signs the newest final block at the slot, gossips it, sends it, and is done when it counts', async () => {
    const world = await ready()
    await world.moveTo(SLOT)
    assert.deepEqual(await world.step(), ['sent'])
    const [published] = world.state.published
    assert.deepEqual(published?.attestation, {
      epoch: 4,
      checkpointNumber: 40,
      checkpointHash: hashOf(40),
      l1OriginNumber: 6,
      l1OriginHash: hashOf(7_000_006),
    })
    assert.deepEqual(await world.step(), ['under-way'])
    await world.include(SLOT + 1)
    await world.moveTo(SLOT + 1)
    assert.deepEqual(await world.step(), ['attested'])
    assert.equal(world.state.sent.length, 1)
    assert.equal(world.state.signed.length, 1)
    assert.equal(world.loop.trouble(), null)
    assert.match((await world.metric('attestations_total')) ?? '', /timeliness="in-time"} 1/)
  })

  it('waits and says so while nothing is final, and attests as soon as something is', async () => {
    const world = await ready({ finalized: 0 })
    await world.moveTo(SLOT)
    assert.deepEqual(await world.step(), ['nothing-final'])
    await world.step()
    assert.match(world.loop.summary(), /epoch 4: nothing-final: nothing is final yet/)
    assert.equal(world.log.matching('nothing is final yet').length, 1)
    assert.equal(world.loop.trouble(), null)
    world.state.finalized = 30
    assert.deepEqual(await world.step(), ['sent'])
    assert.equal(world.loop.trouble(), null)
  })

  it('attests to the last block before the slot when more is final', async () => {
    const world = await ready()
    await world.moveTo(SLOT + 4)
    world.state.finalized = SLOT + 2
    await world.step()
    assert.equal(world.state.published[0]?.attestation.checkpointNumber, SLOT - 1)
  })

  it('signs nothing while execution and consensus client do not agree on the final block', async () => {
    const world = await ready()
    await world.moveTo(SLOT)
    for (const other of [hashOf(1), null]) {
      world.state.hashes.set(40, other)
      assert.deepEqual(await world.step(), ['waiting'])
      assert.match(world.loop.trouble()?.reason ?? '', /not of one chain/)
    }
    assert.deepEqual(world.state.signed, [])
    world.state.hashes.clear()
    assert.deepEqual(await world.step(), ['sent'])
  })

  it('only active keys attest; each says why not', async () => {
    const world = await ready({ keys: 3 })
    world.change(addressOf(1), { weightWei: 0n, nextWeightWei: 0n })
    world.change(addressOf(2), { record: null, weightWei: 0n })
    await world.moveTo(SLOT)
    assert.deepEqual(await world.step(), ['sent', 'inactive', 'inactive'])
    assert.deepEqual(
      world.state.signed.map(({ key }) => key),
      [KEY],
    )
    const last = world.loop.lastStep()
    assert.ok(last?.kind === 'looked' && last.keys[2]?.reason?.includes('not registered'))
  })

  it('several keys attest with one account, each once', async () => {
    const world = await ready({ keys: 4 })
    await world.moveTo(SLOT)
    assert.deepEqual(await world.step(), ['sent', 'sent', 'sent', 'sent'])
    for (const index of [0, 1, 2, 3]) await world.include(SLOT + 1, index)
    await world.moveTo(SLOT + 1)
    assert.deepEqual(await world.step(), ['attested', 'attested', 'attested', 'attested'])
    assert.equal(new Set(world.state.sent.map(({ label }) => label)).size, 4)
  })

  it('a lost transaction is sent again with the same attestation', async () => {
    const world = await ready()
    await world.moveTo(SLOT)
    await world.step()
    world.state.sent[0]?.reject(new Error('the nonce was taken'))
    await new Promise((resolve) => setImmediate(resolve))
    assert.match(world.loop.trouble()?.reason ?? '', /the nonce was taken/)
    world.state.finalized = 55
    await world.moveTo(SLOT + 2)
    assert.deepEqual(await world.step(), ['sent'])
    assert.deepEqual(world.state.sent[1]?.data, world.state.sent[0]?.data)
    assert.equal(world.state.signed.length, 1)
  })

  it('one whose receipt is of a block that is not looked at yet is not sent again', async () => {
    const world = await ready()
    await world.moveTo(SLOT)
    await world.step()
    world.state.sent[0]?.resolve({ succeeded: true, blockNumber: SLOT + 1, transactionHash: hashOf(1) })
    await nextTurn()
    assert.deepEqual(await world.step(), ['under-way'])
    await world.include(SLOT + 1)
    await world.moveTo(SLOT + 1)
    assert.deepEqual(await world.step(), ['attested'])
    assert.equal(world.state.sent.length, 1)
  })

  it('a reorg that takes the attestation away brings the same one again', async () => {
    const world = await ready()
    await world.moveTo(SLOT)
    await world.step()
    await world.include(SLOT + 1)
    await world.moveTo(SLOT + 3)
    assert.deepEqual(await world.step(), ['attested'])
    const position = world.state.positions.get(KEY)
    world.change(KEY, { duty: { ...(position as NonNullable<typeof position>).duty, lastEpoch: 0 } })
    world.state.events.attested = []
    world.state.finalized = 55
    await world.moveTo(SLOT + 2)
    assert.deepEqual(await world.step(), ['sent'])
    assert.deepEqual(world.state.sent[1]?.data, world.state.sent[0]?.data)
  })

  it('nothing else is signed for an epoch whose checkpoint is gone', async () => {
    const world = await ready()
    await world.moveTo(SLOT)
    await world.step()
    world.state.sent[0]?.resolve({ succeeded: false, blockNumber: SLOT + 1, transactionHash: hashOf(1) })
    await new Promise((resolve) => setImmediate(resolve))
    world.state.hashes.set(40, hashOf(999))
    world.state.finalized = 30
    assert.deepEqual(await world.step(), ['refused'])
    assert.match(world.loop.trouble()?.reason ?? '', /is gone/)
    assert.equal(world.state.signed.length, 1)
  })

  it('one that never counts is not paid for without end', async () => {
    const world = await ready()
    await world.moveTo(SLOT)
    for (let times = 0; times < 20; times++) {
      await world.step()
      world.state.sent.at(-1)?.resolve({ succeeded: false, blockNumber: SLOT + 1, transactionHash: hashOf(1) })
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.equal(world.state.sent.length, 5)
  })

  it('one that the node does not take costs nothing, and is sent until the epoch ends, more and more rarely', async () => {
    const world = await ready()
    await world.moveTo(SLOT)
    const seconds: number[] = []
    for (let second = 0; second < 27; second++) {
      const [state] = await world.step()
      if (state === 'sent') {
        seconds.push(second)
        world.state.sent.at(-1)?.reject(new Error('insufficient funds: fund the account'))
        await nextTurn()
      } else assert.equal(state, 'waiting')
      assert.match(world.loop.trouble()?.reason ?? '', /fund the account/)
      await world.clock.advance(1_000)
    }
    assert.deepEqual(seconds, [0, 1, 3, 7, 15, 23])
    assert.equal(world.state.signed.length, 1)
    await world.moveTo(NEXT - 2)
    await world.clock.advance(8_000)
    assert.deepEqual(await world.step(), ['sent'], 'there is no number of refusals after which the epoch is lost')
    await world.include(NEXT - 1)
    await world.moveTo(NEXT - 1)
    assert.deepEqual(await world.step(), ['attested'])
    assert.equal(world.loop.trouble(), null)
  })

  it('late is better than never, and is counted; after the last block of the epoch it is missed', async () => {
    const world = await ready()
    await world.moveTo(SLOT + 12)
    assert.deepEqual(await world.step(), ['sent'])
    await world.include(SLOT + 13)
    await world.moveTo(SLOT + 13)
    assert.deepEqual(await world.step(), ['attested'])
    assert.equal(world.log.matching('attested late').length, 1)
    world.state.finalized = 0
    await world.moveTo(NEXT)
    assert.deepEqual(await world.step(), ['nothing-final'])
    await world.moveTo(NEXT + 14)
    assert.deepEqual(await world.step(), ['too-late'])
    await world.moveTo(NEXT + 15)
    await world.step()
    assert.equal(world.log.matching('missed the attestation').length, 1)
    assert.match((await world.metric('missed_attestations_total')) ?? '', / 1$/)
  })

  it('does nothing on a head that is old', async () => {
    const world = await ready()
    await world.moveTo(SLOT)
    await world.clock.advance(61_000)
    const step = await world.loop.step()
    assert.ok(step.kind === 'waiting' && step.reason.includes('the node is behind'))
    assert.deepEqual(world.state.signed, [])
  })

  it('says which client is away, once, and attests when it is back', async () => {
    const world = await ready()
    world.state.rollupFails = true
    await world.moveTo(SLOT)
    for (let times = 0; times < 3; times++) assert.deepEqual(await world.step(), ['waiting'])
    assert.match(world.loop.trouble()?.reason ?? '', /the consensus client does not say what is final: it cannot be reached/)
    assert.equal(world.log.matching('watching the chain only').length, 1)
    world.state.rollupFails = false
    assert.deepEqual(await world.step(), ['sent'])
    assert.equal(world.log.matching('lists the attestations it saw again').length, 1)
  })

  it('is not ready while a client takes the question and does not answer', async () => {
    const world = await ready()
    await world.moveTo(SLOT)
    let answer: () => void = () => undefined
    world.state.rollupAnswers = new Promise((resolve) => {
      answer = resolve
    })
    await world.loop.start(new AbortController().signal)
    await world.clock.advance(9_000)
    assert.equal(world.loop.trouble(), null)
    await world.clock.advance(2_000)
    assert.match(world.loop.trouble()?.reason ?? '', /takes more than 10 s: .* does not answer/)
    answer()
    for (let turn = 0; turn < 50; turn++) await nextTurn()
    assert.equal(world.state.sent.length, 1)
    assert.equal(world.loop.trouble(), null)
    await world.loop.stop()
  })

  it('gossip that fails is tried again and does not hold up the chain', async () => {
    const world = await ready()
    world.state.gossipFails = true
    await world.moveTo(SLOT)
    assert.deepEqual(await world.step(), ['sent'])
    world.state.gossipFails = false
    await world.step()
    await world.step()
    assert.equal(world.state.published.length, 1)
  })

  it('what slashing protection refuses is said once and not sent', async () => {
    const world = await ready()
    await world.protection.raiseWatermark(KEY, 4)
    await world.moveTo(SLOT)
    assert.deepEqual(await world.step(), ['refused'])
    assert.deepEqual(await world.step(), ['refused'])
    assert.equal(world.log.matching('slashing protection refuses').length, 1)
    assert.deepEqual([world.state.signed, world.state.sent], [[], []])
    assert.match(world.loop.trouble()?.reason ?? '', new RegExp(KEY))
  })

  it('an epoch that passed while it was down is passed over', async () => {
    const store = createMemoryStore()
    const first = await ready({ store })
    await first.moveTo(SLOT)
    await first.step()
    const second = await createDutyWorld({ store, head: SLOT + 20 })
    assert.deepEqual(await second.step(), ['listening'])
    assert.deepEqual(second.state.signed, [])
    await second.moveTo(SLOT + 30)
    assert.deepEqual(await second.step(), ['sent'])
    assert.deepEqual(
      second.state.signed.map(({ epoch }) => epoch),
      [6],
    )
  })

  it('does not sign in the epoch it starts in, which a machine before it may have signed for', async () => {
    const world = await createDutyWorld({ head: SLOT })
    assert.deepEqual(await world.step(), ['listening'])
    assert.equal(await world.protection.watermark(KEY), 4)
  })

  it('a restored old store does not sign again what the chain shows', async () => {
    const world = await createDutyWorld({ head: SLOT })
    const position = world.state.positions.get(KEY)
    world.change(KEY, { duty: { ...(position as NonNullable<typeof position>).duty, lastEpoch: 4 } })
    await world.loop.step()
    assert.equal(await world.protection.watermark(KEY), 4)
  })

  it('what an earlier run left on its way is not sent twice', async () => {
    const world = await createDutyWorld({ head: SLOT - 2 })
    world.state.journal.push({ label: `attest ${KEY} 4`, receipt: new Promise(() => undefined) })
    await world.loop.step()
    await world.moveTo(SLOT)
    assert.deepEqual(await world.step(), ['under-way'])
    assert.deepEqual(world.state.sent, [])
  })

  it('says once that the reward pool ends within two weeks, and gives the days as a metric and in a line', async () => {
    const world = await ready()
    // 43,200 blocks a day pay 2 wei each.
    world.state.poolWei = 20n * 86_400n
    await world.loop.step()
    assert.match((await world.metric('reward_pool_days_left')) ?? '', / 20$/)
    const before = world.log.matching('the reward pool lasts').length
    world.state.poolWei = 5n * 86_400n
    await world.loop.step()
    await world.loop.step()
    assert.deepEqual(world.log.matching('the reward pool lasts').slice(before), [
      `the reward pool lasts 5.0 days: ${asCalled('validator fund-pool')} fills it`,
    ])
    assert.equal(world.loop.rewardPool(), 'rewards for 5.0 days')
  })

  it('says when the reward pool cannot pay, once', async () => {
    const world = await ready()
    world.state.shortfallWei = 5n
    await world.loop.step()
    await world.loop.step()
    assert.equal(world.log.matching('the reward pool cannot pay').length, 1)
  })
})
