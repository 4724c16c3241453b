import assert from 'node:assert/strict'
import { createMetrics, type Metrics } from '@keelson/runtime'
import { createWorld, type World } from '../support/world.ts'

async function metric(metrics: Metrics, name: string): Promise<number> {
  const { text } = await metrics.render()
  const line = text.split('\n').find((candidate) => candidate.startsWith(`keelson_${name} `))
  assert.ok(line, `${name} is not among the metrics`)
  return Number(line.split(' ').at(-1))
}

async function sendTransfer(world: World): Promise<void> {
  const tx = world.sequencer.execution.transfer(0, '0x00000000000000000000000000000000000000aa', 1n)
  await world.sequencer.execution.call('eth_sendRawTransaction', `0x${Buffer.from(tx.raw).toString('hex')}`)
}

const userTransactions = async (world: World, number: number) =>
  (await world.sequencer.payloadAt(number)).payload.transactions.filter((tx) => tx[0] !== 0x7e).length

/** Lets the sequencer work while time passes, so that a slow engine makes it late. */
async function runInTime(world: World, ms: number): Promise<void> {
  const { driver, l1Watcher } = world.sequencer.consensus
  const untilMs = world.clock.nowMs() + ms
  let settling: Promise<void> | null = null
  while (world.clock.nowMs() < untilMs || settling !== null) {
    if (settling === null && (driver.nextDueMs() ?? 0) <= world.clock.nowMs()) {
      settling = world.sequencer.settle().finally(() => {
        settling = null
      })
    }
    await world.clock.advance(50)
    world.l1.mineUntil(Math.floor(world.clock.nowMs() / 1000))
    await l1Watcher.step()
  }
}

describe('a sequencer under strain', () => {
  it('counts exactly the missed blocks of an outage', async () => {
    const metrics = createMetrics('keelson')
    const world = await createWorld({ wire: (real) => ({ ...real, metrics }) })
    await world.advance(20)
    assert.equal(await metric(metrics, 'sequencer_missed_slots_total'), 0)
    assert.equal(await metric(metrics, 'sequencer_late_seconds_count'), 10)
    assert.equal(await metric(metrics, 'sequencer_late_seconds_sum'), 0)
    world.sequencer.engineDown = true
    await world.advance(10)
    world.sequencer.engineDown = false
    await world.advance(10)
    assert.equal(world.sequencer.heads().unsafe, 20)
    const missed = await metric(metrics, 'sequencer_missed_slots_total')
    assert.ok(missed >= 4 && missed <= 6, `${missed} missed`)
    assert.ok((await metric(metrics, 'sequencer_late_seconds_sum')) > 10)
    await world.stop()
  })

  it('starts to seal earlier when its engine is slow, so that blocks are on time', async () => {
    const metrics = createMetrics('keelson')
    const slowMs = 600
    const world = await createWorld({
      wire: (real) => ({
        ...real,
        metrics,
        engine: {
          newPayload: (...params) => real.engine.newPayload(...params),
          forkchoiceUpdated: (...params) => real.engine.forkchoiceUpdated(...params),
          async getPayload(id) {
            await real.clock.sleep(slowMs)
            return real.engine.getPayload(id)
          },
        },
      }),
    })
    await runInTime(world, 20_000)
    const late = async () => metric(metrics, 'sequencer_late_seconds_sum')
    assert.ok(world.sequencer.heads().unsafe >= 9, `${world.sequencer.heads().unsafe} blocks`)
    assert.equal(await metric(metrics, 'sequencer_missed_slots_total'), 0)
    assert.ok((await late()) < 1.5, `only the first blocks are late, ${await late()} s together`)
    await world.stop()
  })

  it('goes on deriving when its engine takes all of the block time', async () => {
    let slowUntilMs = 0
    const world = await createWorld({
      wire: (real) => ({
        ...real,
        engine: {
          newPayload: (...params) => real.engine.newPayload(...params),
          async forkchoiceUpdated(state, attributes) {
            if (attributes !== null && real.clock.nowMs() < slowUntilMs) await real.clock.sleep(1_000)
            return real.engine.forkchoiceUpdated(state, attributes)
          },
          async getPayload(id) {
            if (real.clock.nowMs() < slowUntilMs) await real.clock.sleep(1_000)
            return real.engine.getPayload(id)
          },
        },
      }),
    })
    slowUntilMs = world.clock.nowMs() + 120_000
    const running = runInTime(world, 121_000)
    await world.clock.sleep(119_000)
    const derived = world.sequencer.consensus.driver.status()?.currentL1.number ?? 0
    const { unsafe } = world.sequencer.heads()
    await running
    assert.ok(derived >= 25, `derived L1 up to ${derived} of 29`)
    assert.ok(unsafe >= 40, `${unsafe} blocks`)
    await world.stop()
  })

  it('restores a chain in recover mode when its batcher was away for longer than the sequencing window', async () => {
    const world = await createWorld({ sequencingWindowL1Blocks: 8, sequencer: { l1Confirmations: 2 } })
    const follower = await world.addFollower('validator', { gossip: false })
    const recover = (on: boolean) => world.sequencer.consensus.sequencer?.setRecoverMode(on)
    await world.advance(8)
    for (let i = 0; i < 15; i++) {
      await sendTransfer(world)
      await world.advance(6)
    }
    assert.ok(follower.heads().safe > 10, 'the window is over: L1 says what the blocks are')
    assert.equal(await follower.hashAt(follower.heads().safe), await world.sequencer.hashAt(follower.heads().safe))
    recover(true)
    await world.advance(20)
    const from = world.sequencer.heads().safe
    for (let number = from + 1; number <= world.sequencer.heads().unsafe; number++) assert.equal(await userTransactions(world, number), 0)
    world.startBatcher()
    await world.advance(120)
    const due = Math.floor((world.clock.nowMs() / 1000 - world.config.genesis.l2TimestampSec) / 2)
    assert.ok(world.sequencer.heads().unsafe >= due - 1, `unsafe ${world.sequencer.heads().unsafe}, due ${due}`)
    assert.ok(follower.heads().safe >= due - 12, `safe ${follower.heads().safe}, due ${due}`)
    recover(false)
    await sendTransfer(world)
    const head = world.sequencer.heads().unsafe
    await world.advance(40)
    let found = 0
    for (let number = head; number <= head + 15; number++) found += await userTransactions(world, number)
    assert.ok(found >= 1, 'transactions are taken again')
    assert.ok(follower.heads().safe > head)
    assert.equal(await follower.hashAt(head + 1), await world.sequencer.hashAt(head + 1))
    await world.stop()
  })

  it('takes the next L1 origin without confirmations in recover mode', async () => {
    const world = await createWorld({ sequencer: { l1Confirmations: 4, recover: true } })
    await world.advance(40)
    const origin = world.sequencer.consensus.driver.heads?.unsafe.l1Origin.number ?? 0
    assert.ok(origin >= world.l1.head.number - 1, `origin ${origin}, L1 is at ${world.l1.head.number}`)
    await world.stop()
  })
})
