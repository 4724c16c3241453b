import assert from 'node:assert/strict'
import type { RpcContext } from '@keelson/runtime'
import { createWorld, type World } from '../support/world.ts'

const context: RpcContext = { signal: new AbortController().signal, transport: 'http' }
const admin = (world: World, method: string, ...params: unknown[]) =>
  world.sequencer.consensus.adminMethods[`admin_${method}`]?.(params, context)

async function sendTransfer(world: World): Promise<void> {
  const tx = world.sequencer.execution.transfer(0, '0x00000000000000000000000000000000000000aa', 1n)
  await world.sequencer.execution.call('eth_sendRawTransaction', `0x${Buffer.from(tx.raw).toString('hex')}`)
}

describe('the sequencer', () => {
  it('builds one block per block time, at its time and never before', async () => {
    const world = await createWorld()
    for (let i = 1; i <= 5; i++) {
      await world.clock.advance(1_900)
      await world.settle()
      assert.equal(world.sequencer.heads().unsafe, i - 1)
      await world.clock.advance(100)
      await world.settle()
      assert.equal(world.sequencer.heads().unsafe, i)
    }
    await world.stop()
  })

  it('keeps L1 confirmations, and gives every epoch a block', async () => {
    const world = await createWorld({ sequencer: { l1Confirmations: 4 } })
    await world.advance(60)
    const origins: number[] = []
    for (let number = 1; number <= 30; number++) {
      const { payload } = await world.sequencer.payloadAt(number)
      const output = await world.sequencer.consensus.rollupApi.outputAtBlock(number)
      assert.equal(output.block.hash, payload.blockHash)
      origins.push(output.block.l1Origin.number)
    }
    for (let i = 1; i < origins.length; i++) assert.ok([0, 1].includes((origins[i] as number) - (origins[i - 1] as number)))
    assert.ok((origins.at(-1) as number) <= world.l1.head.number - 4)
    assert.ok((origins.at(-1) as number) >= world.l1.head.number - 6)
    await world.stop()
  })

  it('does not wait for the receipts of a new origin: they are read when L1 has the block', async () => {
    const world = await createWorld({ sequencer: { l1Confirmations: 4 } })
    const { receipts } = world.l1.reader
    const readMs = new Map<string, number>()
    const reader = world.l1.reader as { receipts: typeof receipts }
    reader.receipts = (hash) => {
      if (!readMs.has(hash)) readMs.set(hash, world.clock.nowMs())
      return receipts(hash)
    }
    await world.advance(60)
    let origins = 0
    for (let number = 2; number <= 30; number++) {
      const { block } = await world.sequencer.consensus.rollupApi.outputAtBlock(number)
      const { block: before } = await world.sequencer.consensus.rollupApi.outputAtBlock(number - 1)
      if (block.l1Origin.number === before.l1Origin.number) continue
      origins++
      const read = readMs.get(block.l1Origin.hash) ?? Number.POSITIVE_INFINITY
      assert.ok(read <= (block.timestampSec - 2 * world.l1.blockTimeSec) * 1000, `block ${number}`)
    }
    assert.ok(origins > 5, `${origins} origins`)
    await world.stop()
  })

  it('continues while L1 does not respond, and logs one line', async () => {
    const world = await createWorld()
    await world.advance(8)
    world.l1.unreachable = true
    await world.advance(20)
    assert.ok(world.sequencer.heads().unsafe >= 13, `unsafe ${world.sequencer.heads().unsafe}`)
    assert.equal(world.sequencer.log.matching('L1 does not answer').length, 1)
    assert.ok(world.sequencer.consensus.driver.degraded.some((state) => state.what === 'L1 does not answer'))
    world.l1.unreachable = false
    await world.advance(30)
    assert.deepEqual(world.sequencer.consensus.driver.degraded, [])
    const { driver } = world.sequencer.consensus
    assert.ok((driver.heads?.unsafe.l1Origin.number ?? 0) >= world.l1.head.number - 2)
    await world.stop()
  })

  it('waits beyond the sequencer drift without a new L1 block, then continues', async () => {
    const forks = { regolith: 0, canyon: 0, delta: 0, ecotone: 0 }
    const world = await createWorld({ forks, maxSequencerDriftSec: 20 })
    await world.advance(4)
    await world.advance(60, { mine: false })
    const stuck = world.sequencer.heads().unsafe
    const origin = world.l1.block(world.sequencer.consensus.driver.heads?.unsafe.l1Origin.number ?? -1)?.ref
    assert.equal(world.sequencer.consensus.driver.heads?.unsafe.timestampSec, (origin?.timestampSec ?? 0) + 20)
    assert.ok(world.sequencer.consensus.driver.degraded.some((state) => state.what.includes('cannot build')))
    await world.advance(30)
    assert.ok(world.sequencer.heads().unsafe > stuck + 15, 'the blocks it missed are made')
    await world.stop()
  })

  it('builds blocks without user transactions beyond the sequencer drift', async () => {
    const forks = { regolith: 0, canyon: 0, delta: 0, ecotone: 0 }
    const world = await createWorld({ forks, maxSequencerDriftSec: 6, l1BlockTimeSec: 20 })
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(4)
    await sendTransfer(world)
    await world.advance(40)
    const sizes: number[] = []
    for (let number = 1; number <= world.sequencer.heads().unsafe; number++) {
      sizes.push((await world.sequencer.payloadAt(number)).payload.transactions.length)
    }
    assert.ok(
      sizes.some((size) => size === 2),
      'the transfer is in an early block',
    )
    await world.batch()
    await world.advance(40)
    assert.equal(follower.log.matching('batch-exceeds-drift').length, 0)
    const { safe } = follower.heads()
    assert.ok(safe > 10, `safe ${safe}`)
    assert.equal(await follower.hashAt(safe), await world.sequencer.hashAt(safe))
    await world.stop()
  })

  it('pauses when the safe head is too far behind', async () => {
    const world = await createWorld({ sequencer: { maxSafeLagBlocks: 6 } })
    await world.advance(30)
    assert.equal(world.sequencer.heads().unsafe, 6)
    assert.ok(world.sequencer.consensus.driver.degraded.some((state) => state.what.includes('sequencing pauses')))
    await world.batch()
    await world.advance(8)
    assert.ok(world.sequencer.heads().unsafe > 6)
    await world.stop()
  })

  it('is stopped by its operator and started on the same block', async () => {
    const world = await createWorld()
    await world.advance(6)
    const head = await admin(world, 'stopSequencer')
    assert.equal(head, await world.sequencer.hashAt(3))
    assert.equal(await admin(world, 'sequencerActive'), false)
    await world.advance(6)
    assert.equal(world.sequencer.heads().unsafe, 3)
    await assert.rejects(async () => admin(world, 'startSequencer', `0x${'11'.repeat(32)}`), /block hash does not match/)
    await admin(world, 'startSequencer', head)
    await world.advance(2)
    assert.equal(world.sequencer.heads().unsafe, 7)
    await world.stop()
  })

  it('inserts a posted unsafe payload like one from gossip', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(2)
    const block = await world.sequencer.execution.call('eth_getBlockByNumber', '0x1', false)
    assert.equal((block as { number: string }).number, '0x1')
    const envelope = await world.sequencer.payloadAt(1)
    follower.consensus.driver.submit({ kind: 'unsafe-payload', envelope, from: 'test' })
    await follower.settle()
    assert.equal(follower.heads().unsafe, 1)
    await world.stop()
  })
})
