import assert from 'node:assert/strict'
import { bytesToHex } from '@keelson/primitives'
import { createWorld, type Wire, type World, type WorldNode } from '../support/world.ts'

const GENESIS_SEC = 1_800_000_000
const ATOLL = { name: 'atoll', timeSec: GENESIS_SEC + 41 }
/** Block 20 is at second 40; the fork starts at second 42. */
const LAST = 20
const RECIPIENT = '0x00000000000000000000000000000000000000aa'

const knowingLess: Wire = (real) => ({ ...real, config: { ...real.config, firstUnsupportedFork: ATOLL } })

async function sendOne(world: World): Promise<void> {
  const tx = world.sequencer.execution.transfer(1, RECIPIENT, 1n)
  await world.sequencer.execution.call('eth_sendRawTransaction', bytesToHex(tx.raw))
}

async function complaints(node: WorldNode): Promise<readonly string[]> {
  const checks = [...node.consensus.checks, ...node.execution.node.checks]
  const results = await Promise.all(checks.map((check) => check.check()))
  return results.flatMap((result) => (result.ok ? [] : [result.reason]))
}

async function assertSameChain(node: WorldNode, world: World, upTo: number): Promise<void> {
  for (let number = 1; number <= upTo; number++) {
    assert.equal(await node.hashAt(number), await world.sequencer.hashAt(number), `block ${number} of ${node.name}`)
  }
}

describe('a fork that this release does not implement', () => {
  it('stops sequencing at the last block before it, while the nodes keep serving and name the reason', async () => {
    const world = await createWorld({ unsupportedFork: ATOLL })
    const gossiped = await world.addFollower('gossiped')
    const { batcher } = world.startBatcher({ dataAvailability: 'calldata' })
    await sendOne(world)
    await world.advance(300)
    for (const node of [world.sequencer, gossiped]) {
      assert.equal(node.heads().unsafe, LAST, node.name)
      const said = node.log.matching('stopped before fork atoll')
      assert.equal(said.length, 1, node.name)
      assert.match(
        String(said[0]?.fields.why),
        /^it activates at 1800000041 \(2027-01-15 08:00:41 UTC\), .* block 20 is the last one it can follow$/,
      )
      assert.match(String(said[0]?.fields.remedy), /^install a release that implements atoll/)
      assert.equal(await node.execution.call('eth_blockNumber'), '0x14')
      assert.equal((await node.consensus.rollupApi.syncStatus()).unsafeL2.number, LAST)
      for (const reason of await complaints(node)) assert.match(reason, /^stopped before fork atoll.*: it activates at 1800000041/)
      assert.deepEqual(
        node.log.lines.filter(({ level, message }) => (level === 'warn' || level === 'error') && message !== 'stopped before fork atoll'),
        [],
        node.name,
      )
    }
    assert.match(batcher.trouble()?.reason ?? '', /^stopped before fork atoll/)
    await assertSameChain(gossiped, world, LAST)
    world.l1.setFinalized(world.l1.head.number)
    await world.advance(10)
    const { safe, finalized } = gossiped.heads()
    assert.ok(safe > 10 && finalized === safe, `safe ${safe}, final ${finalized}`)
    await world.stop()
  })

  it('stops a node again after a restart', async () => {
    const world = await createWorld({ unsupportedFork: ATOLL })
    const gossiped = await world.addFollower('gossiped')
    world.startBatcher({ dataAvailability: 'calldata' })
    await world.advance(100)
    for (const node of [world.sequencer, gossiped]) await node.restart()
    await world.advance(100)
    for (const node of [world.sequencer, gossiped]) {
      assert.equal(node.heads().unsafe, LAST, node.name)
      assert.equal(node.log.matching('stopped before fork atoll').length, 2, 'once in each run')
    }
    await world.stop()
  })

  it('stops a node that follows gossip or L1 while others continue', async () => {
    const world = await createWorld()
    const gossiped = await world.addFollower('gossiped', { wire: knowingLess })
    const derived = await world.addFollower('derived', { gossip: false, wire: knowingLess })
    world.startBatcher({ dataAvailability: 'calldata' })
    await sendOne(world)
    await world.advance(200)
    assert.equal(world.sequencer.heads().unsafe, 100)
    assert.equal(gossiped.heads().unsafe, LAST)
    // The fork may change how to read L1 blocks.
    const { unsafe, safe } = derived.heads()
    assert.ok(unsafe === safe && safe > 10 && safe <= LAST, `safe ${safe}`)
    assert.equal((await derived.consensus.rollupApi.syncStatus()).safeL2.number, safe)
    assert.equal(BigInt((await derived.execution.call('eth_getBlockByNumber', 'safe', false)).number), BigInt(safe))
    assert.equal(derived.log.matching('derivation stopped before fork atoll').length, 1)
    const late = await world.addFollower('late', { gossip: false, wire: knowingLess })
    await world.advance(10)
    assert.deepEqual([late.heads().safe, (await late.consensus.rollupApi.syncStatus()).safeL2.number], [safe, safe])
    for (const node of [gossiped, derived, late]) {
      await assertSameChain(node, world, node.heads().unsafe)
      const [complaint, ...others] = (await Promise.all(node.consensus.checks.map((check) => check.check()))).filter(({ ok }) => !ok)
      assert.deepEqual(others, [], node.name)
      assert.match(complaint?.ok === false ? complaint.reason : '', /stopped before fork atoll.* block 20 is the last one it can follow$/)
      assert.equal(node.log.matching('reset').length, 0, node.name)
    }
    await world.stop()
  })
})
