import assert from 'node:assert/strict'
import { outputRootV0, toHash } from '@keelson/primitives'
import type { RpcContext } from '@keelson/runtime'
import { createWorld, type World } from '../support/world.ts'

const context: RpcContext = { signal: new AbortController().signal, transport: 'http' }

async function call(world: World, method: string, ...params: unknown[]): Promise<Record<string, never>> {
  const handler = world.sequencer.consensus.methods[method]
  assert.ok(handler, `no method ${method}`)
  return JSON.parse(JSON.stringify(await handler(params, context)))
}

async function worldWithHistory(): Promise<World> {
  const world = await createWorld()
  await world.advance(12)
  await world.batch()
  await world.advance(8)
  world.l1.setFinalized(4)
  await world.advance(4)
  return world
}

describe('the rollup RPC', () => {
  it('reports no L1 block as processed before the safe head includes its blocks, even while it catches up', async () => {
    const world = await createWorld()
    for (let i = 0; i < 8; i++) {
      await world.advance(6)
      await world.batch()
    }
    await world.advance(8)
    const safeAt = async (number: number) => {
      const answer = await call(world, 'rollup_safeHeadAtL1Block', `0x${number.toString(16)}`).catch(() => null)
      return (answer as { safeHead: { number: number } } | null)?.safeHead.number ?? 0
    }
    const follower = await world.addFollower('late', { gossip: false })
    await follower.consensus.l1Watcher.step()
    const seen = new Set<number>()
    for (let i = 0; i < 2000 && follower.heads().safe < world.sequencer.heads().safe; i++) {
      await follower.consensus.driver.step()
      await new Promise((resolve) => setImmediate(resolve))
      const status = await follower.consensus.rollupApi.syncStatus().catch(() => null)
      if (status === null || status.currentL1.number === 0) continue
      seen.add(status.currentL1.number)
      const least = await safeAt(status.currentL1.number - 1)
      assert.ok(status.safeL2.number >= least, `safe ${status.safeL2.number} at L1 block ${status.currentL1.number}, at least ${least}`)
    }
    assert.equal(follower.heads().safe, world.sequencer.heads().safe)
    assert.ok(seen.size > 1, `${seen.size} L1 blocks seen`)
    await world.stop()
  })

  it('reports the sync status', async () => {
    const world = await worldWithHistory()
    const status = await call(world, 'rollup_syncStatus')
    assert.deepEqual(await call(world, 'optimism_syncStatus'), status)
    const { unsafe_l2, safe_l2, finalized_l2, current_l1, head_l1 } = status as Record<
      string,
      { hash: string; number: number; l1origin: { number: number } }
    >
    assert.equal(unsafe_l2?.number, world.sequencer.heads().unsafe)
    assert.equal(unsafe_l2?.hash, await world.sequencer.hashAt(unsafe_l2?.number ?? -1))
    assert.equal(typeof unsafe_l2?.l1origin.number, 'number')
    assert.ok((unsafe_l2?.number ?? 0) > (safe_l2?.number ?? 0))
    assert.ok((safe_l2?.number ?? 0) >= (finalized_l2?.number ?? 0))
    assert.equal(head_l1?.hash, world.l1.head.hash)
    assert.ok((current_l1?.number ?? 0) <= world.l1.head.number)
    await world.stop()
  })

  it('returns the rollup configuration of the file', async () => {
    const world = await createWorld()
    const config = (await call(world, 'rollup_rollupConfig')) as Record<string, unknown>
    assert.equal(config.block_time, 2)
    assert.equal(config.l2_chain_id, 84532)
    assert.equal(config.jovian_time, 0)
    assert.equal((config.genesis as { l1: { hash: string } }).l1.hash, world.l1.genesis.hash)
    await world.stop()
  })

  it('computes output roots by number and by tag', async () => {
    const world = await worldWithHistory()
    const { safe } = world.sequencer.heads()
    const output = (await call(world, 'rollup_outputAtBlock', `0x${safe.toString(16)}`)) as Record<string, unknown>
    const { payload } = await world.sequencer.payloadAt(safe)
    assert.equal(output.stateRoot, payload.stateRoot)
    assert.equal(output.withdrawalStorageRoot, payload.withdrawalsRoot)
    assert.equal(output.outputRoot, outputRootV0(payload.stateRoot, toHash(payload.withdrawalsRoot ?? ''), payload.blockHash))
    assert.equal((output.blockRef as { hash: string }).hash, payload.blockHash)
    assert.deepEqual(await call(world, 'optimism_outputAtBlock', 'safe'), output)
    const latest = (await call(world, 'rollup_outputAtBlock', 'latest')) as Record<string, unknown>
    assert.equal((latest.blockRef as { number: number }).number, world.sequencer.heads().unsafe)
    await assert.rejects(call(world, 'rollup_outputAtBlock', '0xffff'), /block 65535 is not known/)
    await assert.rejects(call(world, 'rollup_outputAtBlock', 'soon'), { number: -32602 })
    await world.stop()
  })

  it('computes output roots from a proof when the header lacks the storage root', async () => {
    const world = await createWorld({ forks: { regolith: 0, canyon: 0, delta: 0, ecotone: 0, fjord: 0, granite: 0, holocene: 0 } })
    await world.advance(6)
    const output = (await call(world, 'rollup_outputAtBlock', '0x2')) as Record<string, string>
    const { payload } = await world.sequencer.payloadAt(2)
    assert.equal(payload.withdrawalsRoot, null)
    const proof = (await world.sequencer.execution.call('eth_getProof', '0x4200000000000000000000000000000000000016', [], '0x2')) as {
      storageHash: string
    }
    assert.equal(output.withdrawalStorageRoot, proof.storageHash)
    await world.stop()
  })

  it('returns the safe head at an L1 block', async () => {
    const world = await worldWithHistory()
    const answer = (await call(world, 'optimism_safeHeadAtL1Block', '0x64')) as unknown as {
      l1Block: { number: number }
      safeHead: { number: number }
    }
    assert.equal(answer.safeHead.number, world.sequencer.heads().safe)
    assert.ok(answer.l1Block.number <= world.l1.head.number)
    await assert.rejects(call(world, 'optimism_safeHeadAtL1Block', '0x0'), /no safe head is recorded/)
    await assert.rejects(call(world, 'optimism_safeHeadAtL1Block', 'latest'), {
      number: -32602,
      message: 'block number: expected the number of an L1 block as a hex quantity such as 0x1a, got "latest"',
    })
    await world.stop()
  })

  it('lists its peers', async () => {
    const world = await createWorld()
    await world.addFollower('validator')
    const peers = (await call(world, 'opp2p_peers')) as unknown as { totalConnected: number }
    assert.equal(peers.totalConnected, 1)
    assert.equal(((await call(world, 'opp2p_self')) as unknown as { peerID: string }).peerID, 'sequencer')
    await world.stop()
  })
})
