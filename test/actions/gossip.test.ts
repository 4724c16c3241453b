import assert from 'node:assert/strict'
import type { RpcContext } from '@keelson/runtime'
import { chainPeer, createPeerList, servedChain } from '../support/sync-peers.ts'
import { createWorld, type WorldNode } from '../support/world.ts'

const NOWHERE: RpcContext = { signal: new AbortController().signal, transport: 'http' }

describe('following by gossip', () => {
  it('brings a follower each block within its block time, which it consolidates with L1 later', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator')
    for (let i = 1; i <= 5; i++) {
      await world.advance(2)
      assert.equal(follower.heads().unsafe, i)
      assert.equal(await follower.hashAt(i), await world.sequencer.hashAt(i))
    }
    await world.batch()
    await world.advance(8)
    assert.ok(follower.heads().safe >= 5)
    assert.equal(follower.log.matching('block differs from L1').length, 0)
    assert.equal(await follower.hashAt(5), await world.sequencer.hashAt(5))
    await world.stop()
  })

  it('delivers missed blocks from a peer, and then the rest of the queue', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator')
    await world.advance(4)
    world.gossip.connected = false
    await world.advance(60)
    assert.equal(follower.heads().unsafe, 2)
    world.gossip.connected = true
    await world.advance(2)
    assert.equal(follower.heads().unsafe, world.sequencer.heads().unsafe)
    assert.equal(world.sequencer.heads().unsafe, 33)
    assert.deepEqual(follower.consensus.driver.degraded, [])
    assert.equal(follower.log.matching('received blocks from peers that gossip missed').length, 1)
    await world.stop()
  })

  it('leaves missed blocks that no peer serves to derivation from L1', async () => {
    const world = await createWorld()
    world.gossip.serving = false
    const follower = await world.addFollower('validator')
    await world.advance(4)
    world.gossip.connected = false
    await world.advance(6)
    world.gossip.connected = true
    await world.advance(4)
    assert.deepEqual([follower.heads().unsafe, world.sequencer.heads().unsafe], [2, 7])
    assert.match(follower.consensus.driver.degraded[0]?.what ?? '', /unsafe blocks are missing/)
    await world.batch()
    await world.advance(8)
    assert.equal(follower.heads().unsafe, world.sequencer.heads().unsafe)
    assert.deepEqual(follower.consensus.driver.degraded, [])
    assert.equal(follower.log.matching('unsafe blocks are missing').length, 2, 'one line when it begins, one when it is over')
    await world.stop()
  })

  it('lets the execution client fetch missed blocks from its own peers when no peer of gossip serves them', async () => {
    const world = await createWorld()
    world.gossip.serving = false
    const { chain } = world.sequencer.execution.node
    const follower = await world.addFollower('validator', { syncPeers: createPeerList([chainPeer('a', servedChain(chain))]) })
    await world.advance(4)
    world.gossip.connected = false
    await world.advance(40)
    assert.equal(follower.heads().unsafe, 2)
    world.gossip.connected = true
    await world.advance(2)
    const fetched = () => follower.execution.node.chain.label('unsafe').header.number
    for (let turns = 0; turns < 10_000 && fetched() < 20; turns++) await world.clock.advance(0)
    await world.advance(6)
    assert.equal(follower.heads().unsafe, world.sequencer.heads().unsafe)
    for (const number of [3, 20, 23]) assert.equal(await follower.hashAt(number), await world.sequencer.hashAt(number))
    assert.equal(follower.heads().safe, 0, 'nothing came from L1')
    assert.deepEqual(follower.consensus.driver.degraded, [])
    await world.stop()
  })

  it('is not ready while its head is more than ten blocks behind the highest one heard', async () => {
    const world = await createWorld()
    world.gossip.serving = false
    const replica = await world.addFollower('replica')
    const headLag = async () => replica.consensus.checks.find(({ name }) => name === 'head-lag')?.check()
    world.gossip.connected = false
    await world.advance(20)
    world.gossip.connected = true
    await world.advance(2)
    assert.deepEqual([replica.heads().unsafe, world.sequencer.heads().unsafe], [0, 11])
    const late = await headLag()
    assert.match(late?.ok === false ? late.reason : '', /^the unsafe head 0 is 11 blocks behind block 11/)
    await world.batch()
    await world.advance(8)
    assert.equal((await headLag())?.ok, true)
    assert.equal(await replica.consensus.methods.optimism_heardHead?.([], NOWHERE), world.sequencer.heads().unsafe)
    await world.stop()
  })

  it('has heard of no block after a start, and without gossip or as a sequencer knows none but its own', async () => {
    const world = await createWorld()
    await world.advance(4)
    await world.batch()
    await world.advance(8)
    const [late, deaf] = [await world.addFollower('late'), await world.addFollower('deaf', { gossip: false })]
    await world.settle()
    const heard = async ({ consensus }: WorldNode) => consensus.methods.optimism_heardHead?.([], NOWHERE)
    assert.deepEqual(await Promise.all([heard(late), heard(deaf), heard(world.sequencer)]), [null, 2, 6])
    await world.advance(2)
    assert.equal(await heard(late), 7)
    await world.stop()
  })

  it('lets a node that joins late catch up', async () => {
    const world = await createWorld()
    await world.advance(10)
    await world.batch()
    await world.advance(8)
    const late = await world.addFollower('late')
    await world.advance(2)
    assert.ok(late.heads().safe >= 5)
    await world.batch()
    await world.advance(8)
    assert.equal(late.heads().unsafe, world.sequencer.heads().unsafe)
    await world.stop()
  })
})
