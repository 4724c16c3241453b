import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { type Block, blockToPayload, bytesToHex, ZERO_HASH } from '@keelson/primitives'
import { createMemoryStore, createSeededRandom, openLevelStore } from '@keelson/runtime'
import { JOURNEY_ALLOC, runJourney } from '../support/crash-journey.ts'
import { createFailingStore, createRecordingStore } from '../support/crash-store.ts'
import { assertWholeState, examine, reopen } from '../support/examine-store.ts'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'

const NO_LABELS = { safe: ZERO_HASH, finalized: ZERO_HASH }
const NO_SPACE = /No space left on device/

async function give(world: ExecutionWorld, block: Block): Promise<string> {
  const { payload, parentBeaconBlockRoot } = blockToPayload(block, true)
  return (await world.engine.newPayload(payload, parentBeaconBlockRoot)).status
}

describe('execution: a full disk', () => {
  async function openFull() {
    const store = createFailingStore(createMemoryStore())
    const options = { state: { ...DEFAULT_EXECUTION_OPTIONS.state, keepLayers: 2, maxLayers: 4, historyBlocks: 32 } }
    const world = await createExecutionWorld({ store, options, alloc: JOURNEY_ALLOC })
    for (let i = 0; i < 10; i++) await world.mine({ transactions: [world.transfer(0, world.accounts[1]?.address ?? '0x', 1n).raw] })
    await world.node.settled()
    return { store, world, head: world.node.chain.label('unsafe') }
  }

  it('fails engine calls and submissions, keeps head and pool, and answers reads', async () => {
    const { store, world, head } = await openFull()
    const balance = await world.call('eth_getBalance', world.accounts[1]?.address, 'latest')
    const sibling = await world.mine({ setHead: false })
    store.full = true
    await assert.rejects(world.mine({ prevRandao: `0x${'11'.repeat(32)}` as never }), NO_SPACE)
    await assert.rejects(world.engine.forkchoiceUpdated({ head: sibling.hash, ...NO_LABELS }, null), NO_SPACE)
    const tx = world.transfer(2, world.accounts[3]?.address ?? '0x', 1n)
    await assert.rejects(world.call('eth_sendRawTransaction', bytesToHex(tx.raw)), NO_SPACE)
    assert.equal(world.node.pool.counts().pending, 0)
    assert.equal(await examine(world.node), head.hash)
    assert.equal(await world.call('eth_getBalance', world.accounts[1]?.address, 'latest'), balance)
    assert.ok(store.refused >= 3)
    await world.node.settled()
    await assertWholeState(store, world.node)
  })

  it('keeps the state of the head when it cannot go back', async () => {
    const { store, world, head } = await openFull()
    const old = world.node.chain.canonicalHash(2)
    assert.ok(old !== null)
    store.full = true
    await assert.rejects(world.engine.forkchoiceUpdated({ head: old, ...NO_LABELS }, null), NO_SPACE)
    assert.equal(await examine(world.node), head.hash)
    store.full = false
    assert.equal((await world.engine.forkchoiceUpdated({ head: old, ...NO_LABELS }, null)).status.status, 'VALID')
    assert.equal(await examine(world.node), old)
  })

  it('allows work again once there is space, in this process and in the next', async () => {
    const { store, world } = await openFull()
    const block = await world.mine({ setHead: false })
    store.full = true
    await assert.rejects(world.engine.forkchoiceUpdated({ head: block.hash, ...NO_LABELS }, null), NO_SPACE)
    store.full = false
    for (const at of [world, await world.restart()]) {
      assert.equal(await give(at, block), 'VALID')
      assert.equal((await at.engine.forkchoiceUpdated({ head: block.hash, ...NO_LABELS }, null)).status.status, 'VALID')
      assert.equal((await at.mine()).header.parentHash, block.hash)
      await at.node.settled()
      await assertWholeState(store, at.node)
    }
  })
})

describe('execution: waiting engine calls', () => {
  it('are limited: one too many is rejected, the others are answered', async () => {
    const world = await createExecutionWorld()
    const directory = await mkdtemp(join(tmpdir(), 'keelson-waiting-'))
    const level = await openLevelStore({ directory })
    let go: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const task = world.node.database(level).alone(() => held)
    const choose = () => world.engine.forkchoiceUpdated({ head: world.genesis.hash, ...NO_LABELS }, null)
    const calls = Array.from({ length: 1_024 }, choose)
    await assert.rejects(choose(), { code: 'execution/busy' })
    go()
    await task
    for (const { status } of await Promise.all(calls)) assert.equal(status.status, 'VALID')
    assert.equal((await choose()).status.status, 'VALID')
    await level.close()
    await rm(directory, { recursive: true })
  })
})

describe('execution: a LevelDB log truncated at any byte', () => {
  const CUTS = 80

  it('opens at the last complete batch', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-torn-'))
    try {
      const level = await openLevelStore({ directory: join(folder, 'whole') })
      const { world, store, blocks } = await runJourney(80, 7, createRecordingStore(level))
      await world.stop()
      await level.close()
      const log = (await readdir(join(folder, 'whole'))).filter((name) => name.endsWith('.log'))
      assert.equal(log.length, 1)
      const { size } = await stat(join(folder, 'whole', log[0] as string))
      assert.ok(size > 100_000)
      const random = createSeededRandom(3)
      let shortest = Number.POSITIVE_INFINITY
      for (let i = 0; i < CUTS; i++) {
        const directory = join(folder, String(i))
        await cp(join(folder, 'whole'), directory, { recursive: true })
        await truncate(join(directory, log[0] as string), Math.floor(random.next() * size))
        const cut = await openLevelStore({ directory })
        const node = await reopen({ store: cut, chain: world.chain, crypto: world.crypto })
        const head = await examine(node)
        assert.ok(head === world.genesis.hash || blocks.has(head))
        shortest = Math.min(shortest, node.chain.label('unsafe').header.number)
        if (i % 4 === 0) await assertWholeState(cut, node)
        await cut.close()
        await rm(directory, { recursive: true })
      }
      assert.ok(shortest < 20 && store.batches.length > 200)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
