import assert from 'node:assert/strict'
import { chainPeer, createPeerList, servedChain } from '../support/sync-peers.ts'
import { createWorld, type World, type WorldNode } from '../support/world.ts'

const EXECUTION_LAYER = { consensus: { syncMode: 'execution-layer' } } as const

async function fetchFromPeers(world: World, node: WorldNode, upTo: number): Promise<void> {
  for (let number = 1; number <= upTo; number++) {
    const envelope = await world.sequencer.payloadAt(number)
    const { status } = await node.execution.engine.newPayload(envelope.payload, envelope.parentBeaconBlockRoot)
    assert.equal(status, 'VALID')
  }
}

const syncing = (node: WorldNode) => node.consensus.driver.degraded.find(({ what }) => what.includes('fetches the chain'))

describe('sync by the execution client', () => {
  it('waits for it, treats its chain as final, and continues with blocks from L1 and gossip', async () => {
    const world = await createWorld()
    await world.advance(20)
    await world.batch()
    await world.advance(20)
    const node = await world.addFollower('snap', EXECUTION_LAYER)
    await node.settle()
    assert.match(syncing(node)?.why ?? '', /no unsafe block has arrived yet/)
    await world.advance(4)
    const target = world.sequencer.heads().unsafe
    assert.match(syncing(node)?.why ?? '', new RegExp(`up to ${target}`))
    assert.deepEqual(node.heads(), { unsafe: 0, safe: 0, finalized: 0 }, 'derivation waits')
    assert.equal(node.log.matching('starts to fetch the chain').length, 1)

    await fetchFromPeers(world, node, target)
    await world.advance(2)
    const { finalized, safe, unsafe } = node.heads()
    assert.ok(finalized >= target, `final ${finalized}, fetched up to ${target}`)
    assert.deepEqual([safe, unsafe], [finalized, world.sequencer.heads().unsafe])
    assert.equal(await node.hashAt(finalized), await world.sequencer.hashAt(finalized))
    assert.equal(syncing(node), undefined)

    await world.advance(8)
    await world.batch()
    await world.advance(12)
    assert.ok(node.heads().safe > finalized, `safe ${node.heads().safe} passes ${finalized}`)
    assert.equal(node.heads().safe, world.sequencer.heads().safe)
    assert.equal(await node.hashAt(node.heads().safe), await world.sequencer.hashAt(node.heads().safe))
    assert.deepEqual(node.consensus.driver.degraded, [])

    await node.restart()
    await world.advance(4)
    assert.equal(node.log.matching('has a finalized block; blocks above it').length, 1)
    assert.equal(node.heads().unsafe, world.sequencer.heads().unsafe)
    await world.stop()
  })

  it('by Keelson follows the unsafe tip of a long chain after the first blocks of gossip, and derives what comes after', async () => {
    const world = await createWorld()
    await world.advance(300)
    await world.batch()
    await world.advance(20)
    const { chain } = world.sequencer.execution.node
    const syncPeers = createPeerList([chainPeer('a', servedChain(chain)), chainPeer('b', servedChain(chain))])
    const node = await world.addFollower('new', { ...EXECUTION_LAYER, syncPeers })
    await node.settle()
    await world.advance(2)
    const tip = world.sequencer.heads().unsafe
    const fetched = () => node.execution.node.chain.label('unsafe').header.number
    for (let turns = 0; turns < 10_000 && fetched() < tip; turns++) await world.clock.advance(0)
    await world.advance(6)
    assert.equal(node.heads().unsafe, world.sequencer.heads().unsafe)
    const { finalized } = node.heads()
    assert.ok(finalized >= 160, `final ${finalized}`)
    assert.equal(await node.hashAt(100), await world.sequencer.hashAt(100))
    assert.equal(syncing(node), undefined)

    await world.advance(8)
    await world.batch()
    await world.advance(12)
    assert.ok(node.heads().safe > finalized, `safe ${node.heads().safe} passes ${finalized}`)
    assert.equal(node.heads().safe, world.sequencer.heads().safe)
    assert.deepEqual(node.consensus.driver.degraded, [])
    await world.stop()
  })

  it('repeats the request with the same block when no newer one arrives', async () => {
    const world = await createWorld()
    await world.advance(20)
    const node = await world.addFollower('snap', EXECUTION_LAYER)
    await node.settle()
    await world.advance(2)
    const target = world.sequencer.heads().unsafe
    await fetchFromPeers(world, node, target)
    assert.equal(node.heads().unsafe, 0)
    const dueMs = node.consensus.driver.nextDueMs()
    assert.equal((dueMs ?? 0) - world.clock.nowMs(), 5_000)
    await world.clock.advance(5_000)
    await node.settle()
    assert.deepEqual(node.heads(), { unsafe: target, safe: target, finalized: target })
    await world.stop()
  })

  it('ends at the first block when there is nothing to fetch, and finalizes nothing', async () => {
    const world = await createWorld()
    const node = await world.addFollower('early', EXECUTION_LAYER)
    await world.advance(8)
    assert.deepEqual(node.heads(), { unsafe: 4, safe: 0, finalized: 0 })
    await world.batch()
    await world.advance(8)
    assert.equal(node.heads().safe, world.sequencer.heads().safe)
    await world.stop()
  })

  it('continues after a restart during the sync', async () => {
    const world = await createWorld()
    await world.advance(30)
    const node = await world.addFollower('snap', EXECUTION_LAYER)
    await node.settle()
    await world.advance(2)
    await node.restart()
    await world.advance(4)
    assert.match(syncing(node)?.why ?? '', /up to/)
    await fetchFromPeers(world, node, world.sequencer.heads().unsafe)
    await world.advance(2)
    assert.ok(node.heads().finalized >= 15)
    await world.stop()
  })

  it('drops a block that the execution client calls invalid and uses the next one', async () => {
    const world = await createWorld()
    await world.advance(20)
    let refuse = 1
    const node = await world.addFollower('snap', {
      ...EXECUTION_LAYER,
      wire: (real) => ({
        ...real,
        engine: {
          ...real.engine,
          forkchoiceUpdated: (state, attributes) => real.engine.forkchoiceUpdated(state, attributes),
          getPayload: (id) => real.engine.getPayload(id),
          newPayload: async (payload, beaconRoot) =>
            refuse-- > 0 ? { status: 'INVALID', latestValidHash: null, reason: 'bad block' } : real.engine.newPayload(payload, beaconRoot),
        },
      }),
    })
    await node.settle()
    await world.advance(2)
    assert.equal(node.log.matching('dropped an invalid unsafe block').length, 1)
    await world.advance(2)
    assert.match(syncing(node)?.why ?? '', /up to 12/)
    await world.stop()
  })

  it('is rejected for an execution client without peers of its own', async () => {
    const world = await createWorld()
    const node = await world.addFollower('keelson', {
      ...EXECUTION_LAYER,
      wire: (real) => ({ ...real, cannotSync: async () => 'the execution client is Keelson, which has no peers' }),
    })
    await assert.rejects(node.settle(), {
      code: 'consensus/engine-cannot-sync',
      severity: 'critical',
      message: /syncmode execution-layer cannot work: the execution client is Keelson.*use --syncmode consensus-layer/,
    })
    await world.stop()
  })
})
