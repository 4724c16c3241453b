import assert from 'node:assert/strict'
import type { Block, Hash } from '@keelson/primitives'
import { createMemoryStore, type KeyValueStore } from '@keelson/runtime'
import type { ExecutionWorld } from '../support/execution-world.ts'
import { afterProof, FIRST, LENGTH, mineSnapSyncChain, PIVOT } from '../support/snap-sync-chain.ts'
import { chainPeer, rebuiltChain } from '../support/sync-peers.ts'
import { gateOf, head, mortal, reached, until, want } from '../support/sync-world.ts'

/** First byte of the keys of headers. */
const HEADER = 0x41

describe('snap sync of a node, over kills and branches', () => {
  const { chain, at, open, snapPeer, assertSame } = mineSnapSyncChain()

  it('continues after a kill behind each of its writes', async function () {
    this.timeout(180_000)
    const disk = createMemoryStore()
    let left = 0
    const killed: KeyValueStore = {
      ...disk,
      async batch(ops, options) {
        if (left <= 0) throw new Error('killed')
        left--
        await disk.batch(ops, options)
      },
    }
    let kills = 0
    let halfStates = 0
    for (let writes = 3; ; writes += 4) {
      left = Number.POSITIVE_INFINITY
      const world = await open([snapPeer('a', () => FIRST)], { store: killed })
      if (head(world).hash === at(FIRST).hash) {
        await assertSame(world, FIRST)
        await world.stop()
        break
      }
      await want(world, at(FIRST))
      left = writes
      await until(world, () => left <= 0 || head(world).hash === at(FIRST).hash)
      if (left <= 0) kills++
      left = Number.POSITIVE_INFINITY
      await world.stop()
      const full = await open([], { store: disk, syncMode: 'full' }).catch((error: unknown) => error)
      if (full instanceof Error) {
        assert.equal((full as Error & { code: string }).code, 'execution/half-state')
        halfStates++
      } else await (full as ExecutionWorld).stop()
    }
    assert.ok(kills > 3 && halfStates > 1, `${kills} kills, ${halfStates} of them within the state`)
  })

  it('follows the head to another branch that begins below the pivot', async () => {
    const branch = rebuiltChain(chain(), 100, LENGTH, (block) => ({
      ...block,
      header: { ...block.header, mixHash: `0x${'12'.repeat(32)}` as Hash },
    }))
    const receipts = (hash: Hash) => chain().receipts(at((branch.block(hash) as Block).header.number).hash)
    const gate = gateOf()
    const slow = snapPeer('a', () => FIRST, { beforeAnswer: afterProof(() => gate.promise) })
    const world = await open([chainPeer('b', { ...branch, receipts }), slow])
    await want(world, branch.block(FIRST) as Block)
    await until(world, () => slow.snap.requests > 1)
    const left = branch.block(PIVOT) as Block
    assert.ok(world.node.chain.header(left.hash))
    await want(world, at(FIRST))
    gate.resolve()
    await reached(world, at(FIRST))
    await assertSame(world, FIRST)
    assert.equal(world.node.chain.header(left.hash), null)
    await world.stop()
  })

  it('does not stall at blocks that a killed full sync of a young chain has executed', async () => {
    const disk = createMemoryStore()
    let executed = 0
    const killed = mortal(disk, (ops) => ops.some((op) => 'put' in op && op.put[0] === HEADER) && executed++ === 50)
    const young = await open([snapPeer('a', () => 64)], { store: killed.store })
    await want(young, at(64))
    await until(young, killed.isDead)
    await young.stop()
    const world = await open([snapPeer('a', () => 70)], { store: disk })
    assert.equal(head(world).header.number, 0)
    await want(world, at(70))
    await reached(world, at(70))
    await assertSame(world, 70)
    await world.stop()
  })

  it('keeps nothing of a branch that it left, when it is killed while it deletes its blocks', async () => {
    const branch = rebuiltChain(chain(), 100, LENGTH, (block) => ({
      ...block,
      header: { ...block.header, mixHash: `0x${'13'.repeat(32)}` as Hash },
    }))
    const receipts = (hash: Hash) => chain().receipts(at((branch.block(hash) as Block).header.number).hash)
    const disk = createMemoryStore()
    const stuck = snapPeer('a', () => FIRST, { beforeAnswer: afterProof(() => new Promise(() => undefined)) })
    const first = await open([chainPeer('b', { ...branch, receipts }), stuck], { store: disk })
    await want(first, branch.block(FIRST) as Block)
    await until(first, () => stuck.snap.requests > 1)
    await first.stop()
    let deletions = 0
    const killed = mortal(disk, (ops) => ops.some((op) => 'del' in op && op.del[0] === HEADER) && deletions++ === 1)
    const second = await open([snapPeer('a', () => FIRST)], { store: killed.store })
    await want(second, at(FIRST))
    await until(second, killed.isDead)
    await second.stop()
    const world = await open([snapPeer('a', () => FIRST)], { store: disk })
    assert.ok(world.node.chain.header((branch.block(101) as Block).hash), 'the highest blocks went first')
    assert.equal(world.node.chain.header((branch.block(PIVOT) as Block).hash), null)
    await want(world, at(FIRST))
    await reached(world, at(FIRST))
    await assertSame(world, FIRST)
    for (let number = 100; number <= PIVOT; number++)
      assert.equal(world.node.chain.header((branch.block(number) as Block).hash), null, `block ${number}`)
    await world.stop()
  })

  it('does not stall at a reorg below its pivot, also after kills: it fetches a newer state', async function () {
    this.timeout(120_000)
    const branch = rebuiltChain(chain(), 100, LENGTH, (block) => ({
      ...block,
      header: { ...block.header, mixHash: `0x${'14'.repeat(32)}` as Hash },
    }))
    const receipts = (hash: Hash) => chain().receipts(at((branch.block(hash) as Block).header.number).hash)
    const disk = createMemoryStore()
    const left = branch.block(FIRST) as Block
    const first = await open([chainPeer('b', { ...branch, receipts }), snapPeer('a', () => FIRST)], { store: disk })
    await want(first, left, { safe: (branch.block(150) as Block).hash })
    await reached(first, left)
    await until(first, () => first.node.chain.label('safe').header.number === 150)
    await first.stop()
    for (const writes of [4, 6, 10]) {
      let done = 0
      const killed = mortal(disk, () => done++ === writes)
      const world = await open([snapPeer('a', () => FIRST)], { store: killed.store })
      await want(world, at(FIRST))
      await until(world, killed.isDead)
      await world.stop()
    }
    const world = await open([snapPeer('a', () => FIRST)], { store: disk })
    await want(world, at(FIRST), { safe: at(150).hash })
    await reached(world, at(FIRST))
    await until(world, () => world.node.chain.label('safe').hash === at(150).hash)
    await assertSame(world, FIRST)
    assert.equal(world.node.chain.header(left.hash), null)
    await world.stop()
  })
})
