import assert from 'node:assert/strict'
import { hexToBytes } from '@keelson/primitives'
import { DEPOSITOR, RECIPIENT, sendDeposit } from '../support/deposit-log.ts'
import { createWorld, type WorldNode } from '../support/world.ts'

const ETHER = 10n ** 18n

const balance = async (node: WorldNode, address: string) =>
  BigInt((await node.execution.call('eth_getBalance', address, 'latest')) as string)

describe('deposits', () => {
  it('arrive in the first block of their epoch, on the sequencer and on a node that reads only L1', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    sendDeposit(world.l1, 3n * ETHER)
    await world.advance(8)
    assert.equal(await balance(world.sequencer, RECIPIENT), 3n * ETHER)
    await world.batch()
    await world.advance(8)
    assert.equal(await balance(follower, RECIPIENT), 3n * ETHER)
    const [block] = (await Promise.all([1, 2, 3].map((number) => world.sequencer.payloadAt(number))).then((all) =>
      all.filter(({ payload }) => payload.transactions.length === 2),
    )) as [Awaited<ReturnType<WorldNode['payloadAt']>>]
    assert.equal(block.payload.transactions[1]?.[0], 0x7e)
    await world.stop()
  })

  it('are included when the call fails, and keep the mint', async () => {
    const world = await createWorld()
    sendDeposit(world.l1, 1n * ETHER, 2n * ETHER)
    await world.advance(8)
    assert.equal(await balance(world.sequencer, RECIPIENT), 0n)
    assert.equal(await balance(world.sequencer, DEPOSITOR), 1n * ETHER)
    await world.stop()
  })

  it('are forced in after a sequencing window without batches', async () => {
    const world = await createWorld({ sequencingWindowL1Blocks: 10, sequencer: { stopped: true } })
    const follower = await world.addFollower('validator', { gossip: false })
    sendDeposit(world.l1, 5n * ETHER)
    await world.advance(80)
    assert.equal(world.sequencer.heads().safe, world.sequencer.heads().unsafe)
    assert.ok(follower.heads().safe > 0)
    assert.equal(await balance(follower, RECIPIENT), 5n * ETHER)
    assert.equal(await follower.hashAt(follower.heads().safe), await world.sequencer.hashAt(follower.heads().safe))
    const payloads = await Promise.all([1, 2, 3].map((number) => follower.payloadAt(number)))
    assert.ok(payloads.every(({ payload }) => payload.transactions.every((tx) => tx[0] === 0x7e)))
    assert.ok(hexToBytes(payloads[0]?.payload.blockHash ?? '0x').length === 32)
    await world.stop()
  })
})
