import assert from 'node:assert/strict'
import type { RpcContext } from '@keelson/runtime'
import { createWorld, type WorldNode } from '../support/world.ts'

const context: RpcContext = { signal: new AbortController().signal, transport: 'http' }

async function safeHeadAt(node: WorldNode, l1Number: number): Promise<{ l1: number; l2: number; hash: string }> {
  const answer = await node.consensus.methods.optimism_safeHeadAtL1Block?.([`0x${l1Number.toString(16)}`], context)
  const { l1Block, safeHead } = answer as { l1Block: { number: number }; safeHead: { number: number; hash: string } }
  return { l1: l1Block.number, l2: safeHead.number, hash: safeHead.hash }
}

describe('safe heads by L1 block', () => {
  it('are correct before the first, at each, between two, after the last, and after a reorg of the last', async () => {
    const world = await createWorld()
    const node = await world.addFollower('validator', { gossip: false })
    await world.advance(12)
    await world.batch()
    await world.advance(4)
    const first = { l1: world.l1.head.number, l2: node.heads().safe, hash: await node.hashAt(node.heads().safe) }
    await world.advance(16)
    await world.batch()
    await world.advance(4)
    const second = { l1: world.l1.head.number, l2: node.heads().safe, hash: await node.hashAt(node.heads().safe) }
    await world.advance(8)
    assert.ok(second.l2 > first.l2 && second.l1 > first.l1 + 1)

    for (const before of [0, first.l1 - 1]) await assert.rejects(safeHeadAt(node, before), /no safe head is recorded at or before L1 block/)
    assert.deepEqual(await safeHeadAt(node, first.l1), first)
    assert.deepEqual(await safeHeadAt(node, second.l1 - 1), first)
    assert.deepEqual(await safeHeadAt(node, second.l1), second)
    assert.deepEqual(await safeHeadAt(node, second.l1 + 1), second)
    assert.deepEqual(await safeHeadAt(node, Number.MAX_SAFE_INTEGER), second)
    await node.restart()
    await node.settle()
    assert.deepEqual(await safeHeadAt(node, second.l1), second)

    world.l1.reorg(world.l1.head.number - second.l1 + 1, { keepTransactions: false, newBlocks: 6 })
    await world.advance(4)
    assert.deepEqual(await safeHeadAt(node, second.l1), first)
    await world.batch()
    await world.advance(24)
    const again = await safeHeadAt(node, Number.MAX_SAFE_INTEGER)
    assert.ok(again.l1 > second.l1 && again.l2 > first.l2)
    assert.equal(again.hash, await world.sequencer.hashAt(again.l2))
    await world.stop()
  })
})
