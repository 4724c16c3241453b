import assert from 'node:assert/strict'
import { createWorld } from '../support/world.ts'

describe('outages', () => {
  it('of the execution client cost a follower only time', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(12)
    await world.batch()
    follower.engineDown = true
    await world.advance(30)
    assert.equal(follower.heads().safe, 0)
    assert.equal(follower.log.matching('execution client request failed').length, 1)
    const state = follower.consensus.driver.degraded.find(({ what }) => what.includes('execution client'))
    assert.match(state?.why ?? '', /connection refused/)
    assert.match(state?.remedy ?? '', /engine URL/)
    follower.engineDown = false
    await world.advance(20)
    assert.ok(follower.heads().safe >= 6, `safe ${follower.heads().safe}`)
    assert.equal(await follower.hashAt(6), await world.sequencer.hashAt(6))
    assert.deepEqual(follower.consensus.driver.degraded, [])
    assert.equal(follower.log.matching('derivation reset').length, 0)
    await world.stop()
  })

  it('of the execution client make a sequencer catch up on missed blocks', async () => {
    const world = await createWorld()
    await world.advance(6)
    world.sequencer.engineDown = true
    await world.advance(20)
    assert.equal(world.sequencer.heads().unsafe, 3)
    world.sequencer.engineDown = false
    await world.advance(20)
    assert.equal(world.sequencer.heads().unsafe, 23)
    await world.stop()
  })

  it('do not stall the safe head while a sequencer catches up', async () => {
    const told: { readonly head: string; readonly safe: string }[] = []
    const world = await createWorld({
      wire: (real) => ({
        ...real,
        engine: {
          getPayload: (id) => real.engine.getPayload(id),
          newPayload: (payload, root) => real.engine.newPayload(payload, root),
          forkchoiceUpdated(state, attributes) {
            told.push({ head: state.head, safe: state.safe })
            return real.engine.forkchoiceUpdated(state, attributes)
          },
        },
      }),
    })
    await world.advance(12)
    await world.batch()
    world.sequencer.engineDown = true
    await world.advance(400)
    told.length = 0
    world.sequencer.engineDown = false
    await world.advance(20)
    const { unsafe, safe } = world.sequencer.heads()
    assert.ok(unsafe > 200 && safe >= 6, `unsafe ${unsafe}, safe ${safe}`)
    const genesis = await world.sequencer.hashAt(0)
    const moved = told.find((state) => state.safe !== genesis)
    const halfway = new Set(await Promise.all(Array.from({ length: 100 }, (_, number) => world.sequencer.hashAt(number))))
    assert.ok(
      moved !== undefined && halfway.has(moved.head as never),
      'the safe head moved in the second half of the catch-up or not at all',
    )
    await world.stop()
  })

  it('of L1 at the start are waited out', async () => {
    const world = await createWorld()
    await world.advance(12)
    await world.batch()
    await world.advance(4)
    world.l1.unreachable = true
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(10)
    assert.equal(follower.consensus.driver.heads, null)
    assert.ok(follower.consensus.driver.degraded.length > 0)
    world.l1.unreachable = false
    await world.advance(14)
    assert.ok(follower.heads().safe >= 6)
    await world.stop()
  })

  it('are named by the readiness check', async () => {
    const world = await createWorld()
    await world.advance(8)
    const results = async () =>
      Object.fromEntries(
        await Promise.all(world.sequencer.consensus.checks.map(async (check) => [check.name, (await check.check()).ok] as const)),
      )
    assert.deepEqual(await results(), {
      'head-age': true,
      'head-lag': true,
      'l1-age': true,
      derivation: true,
      peers: true,
      'no-degraded-state': true,
    })
    world.l1.unreachable = true
    world.sequencer.engineDown = true
    await world.advance(200)
    const later = await results()
    assert.deepEqual([later['head-age'], later['l1-age'], later['no-degraded-state']], [false, false, false])
    await world.stop()
  })
})
