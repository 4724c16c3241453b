import assert from 'node:assert/strict'
import { forkLimitOf } from '@keelson/chainspec'
import { runDatabaseTask } from '@keelson/execution'
import { bytesToHex, ZERO_HASH } from '@keelson/primitives'
import { createMemoryStore, type LevelStore } from '@keelson/runtime'
import { createRecordingLogger } from '../support/recording-logger.ts'
import { rejection } from '../support/rejection.ts'
import { afterProof, CONTRACT, FIRST, LENGTH, mineSnapSyncChain, PIVOT } from '../support/snap-sync-chain.ts'
import { gateOf, reached, send, until, want } from '../support/sync-world.ts'

describe('snap sync of a node', () => {
  const { source, at, open, snapPeer, assertSame } = mineSnapSyncChain()

  it('fetches the state of a recent block, executes the blocks above it, and serves calls at the head', async () => {
    const peers = [snapPeer('a', () => FIRST), snapPeer('b', () => FIRST)]
    const world = await open(peers)
    assert.deepEqual(await send(world, at(FIRST)), { status: 'SYNCING' })
    assert.deepEqual(await want(world, at(FIRST), { safe: at(150).hash }), { status: 'SYNCING' })
    await reached(world, at(FIRST))
    await until(world, () => world.node.chain.label('safe').hash === at(150).hash)
    await assertSame(world, FIRST)
    const old = await rejection(world.call('eth_getBalance', CONTRACT, `0x${(PIVOT - 1).toString(16)}`))
    assert.match(old.message, /missing trie node/, 'the blocks below the pivot were not executed')
    assert.ok(await world.call('eth_getBalance', CONTRACT, `0x${PIVOT.toString(16)}`))
    assert.ok(peers.every(({ snap, faults }) => snap.requests > 0 && snap.faults.length + faults.length === 0))
    assert.equal((await send(world, at(FIRST + 1))).status, 'VALID')
    await world.stop()
  })

  it('executes a chain that is too short to have a pivot', async () => {
    const peer = snapPeer('a', () => 64)
    const world = await open([peer])
    await want(world, at(64))
    await reached(world, at(64))
    assert.equal(peer.snap.requests, 0)
    assert.ok(await world.call('eth_getBalance', CONTRACT, '0x1'), 'the first block was executed')
    await world.stop()
  })

  it('executes the blocks above a chain that is not empty', async () => {
    const peer = snapPeer('a', () => FIRST)
    const world = await open([peer])
    assert.equal((await send(world, at(1))).status, 'VALID')
    assert.equal((await want(world, at(1))).status, 'VALID')
    await want(world, at(FIRST))
    await reached(world, at(FIRST))
    assert.equal(peer.snap.requests, 0)
    await world.stop()
  })

  it('answers SYNCING, refuses calls with a clear error and says how far it is while it has no state', async () => {
    const gate = gateOf()
    const slow = snapPeer('a', () => FIRST, { beforeAnswer: afterProof(() => gate.promise) })
    const world = await open([slow])
    await want(world, at(FIRST))
    await until(world, () => slow.snap.requests > 1)
    for (const block of [at(0), at(10), at(PIVOT), at(FIRST)]) assert.equal((await want(world, block)).status, 'SYNCING')
    for (const number of [1, 10, FIRST]) assert.equal((await send(world, at(number))).status, 'SYNCING')
    const started = await world.engine.forkchoiceUpdated(
      { head: at(0).hash, safe: ZERO_HASH, finalized: ZERO_HASH },
      source().attributes({ parent: at(0).hash }),
    )
    assert.deepEqual(started, { status: { status: 'SYNCING' }, payloadId: null })
    assert.equal(await world.call('eth_blockNumber'), '0x0')
    for (const [method, ...params] of [
      ['eth_getBalance', CONTRACT, 'latest'],
      ['eth_call', { to: CONTRACT }, 'latest'],
      ['eth_estimateGas', { to: CONTRACT }],
      ['eth_getProof', CONTRACT, [], 'latest'],
      ['eth_getTransactionCount', CONTRACT, 'pending'],
      ['eth_sendRawTransaction', `0x${Buffer.from(source().transfer(1, CONTRACT, 1n).raw).toString('hex')}`],
    ] as const)
      assert.match((await rejection(world.call(method, ...params))).message, /the state is being fetched from peers/, method)
    const status = await world.call('eth_syncing')
    assert.deepEqual(
      { ...status, stages: null },
      {
        ...{
          startingBlock: '0x0',
          currentBlock: `0x${PIVOT.toString(16)}`,
          highestBlock: `0x${FIRST.toString(16)}`,
          stage: 'state',
          stages: null,
        },
        ...{ syncedAccounts: '0x0', syncedStorage: '0x0', syncedBytecodes: '0x0', healedTrienodes: '0x0', healing: false },
        pivotBlock: `0x${PIVOT.toString(16)}`,
      },
    )
    gate.resolve()
    await reached(world, at(FIRST))
    await assertSame(world, FIRST)
    await world.stop()
  })

  it('moves its pivot with the head, and does not execute what a newer state holds', async () => {
    let newest = FIRST
    const gate = { open: gateOf() }
    const peer = snapPeer('a', () => newest, { beforeAnswer: async ({ requests }) => void (requests > 3 && (await gate.open.promise)) })
    const world = await open([peer])
    await want(world, at(FIRST))
    await until(world, () => peer.snap.requests > 3)
    for (newest = FIRST + 1; newest <= LENGTH; newest++) {
      await send(world, at(newest))
      await want(world, at(newest))
      await world.clock.advance(1)
    }
    newest = LENGTH
    gate.open.resolve()
    await reached(world, at(LENGTH))
    await assertSame(world, LENGTH)
    const below = await rejection(world.call('eth_getBalance', CONTRACT, `0x${FIRST.toString(16)}`))
    assert.match(below.message, /missing trie node/)
    assert.deepEqual(peer.snap.faults, [])
    await world.stop()
  })

  it('fetches no state past a fork that this release does not implement', async () => {
    const limit = forkLimitOf({
      firstUnsupportedFork: { name: 'beryl', timeSec: at(FIRST - 10).header.timestampSec },
      blockTimeSec: 2,
      genesis: { l2: { number: 0 }, l2TimestampSec: at(0).header.timestampSec },
    })
    const peer = snapPeer('a', () => FIRST)
    const log = createRecordingLogger()
    const world = await open([peer], { limit, log })
    await want(world, at(FIRST))
    await until(world, () => log.matching('sync stops at a fork').length > 0)
    assert.equal(peer.snap.requests, 0)
    assert.equal(await world.call('eth_getBalance', CONTRACT, 'latest'), '0x7', 'the state of genesis is still there')
    await world.stop()
  })

  it('restores pooled transactions after a restart during the download', async () => {
    const disk = createMemoryStore()
    const stuck = snapPeer('a', () => FIRST, { beforeAnswer: afterProof(() => new Promise(() => undefined)) })
    const first = await open([stuck], { store: disk })
    const waiting = source().transfer(1, CONTRACT, 1n, { nonce: 90n })
    await first.call('eth_sendRawTransaction', bytesToHex(waiting.raw))
    await want(first, at(FIRST))
    await until(first, () => stuck.snap.requests > 1)
    await first.stop()
    const world = await open([snapPeer('a', () => FIRST)], { store: disk })
    assert.equal(await world.call('eth_getTransactionByHash', waiting.hash), null)
    await want(world, at(FIRST))
    await reached(world, at(FIRST))
    await until(world, async () => (await world.call('eth_getTransactionByHash', waiting.hash)) !== null)
    await world.stop()
  })

  it('refuses database tasks that need the state while it is fetched, and says why', async () => {
    const stuck = snapPeer('a', () => FIRST, { beforeAnswer: afterProof(() => new Promise(() => undefined)) })
    const world = await open([stuck])
    await want(world, at(FIRST))
    await until(world, () => stuck.snap.requests > 1)
    const database = world.node.database(world.store as LevelStore)
    const nothing = { breathe: async () => undefined, report: () => undefined, signal: new AbortController().signal }
    for (const task of ['prune', 'verify', 'supply', 'export'] as const)
      await assert.rejects(runDatabaseTask(task, {}, database, {} as never, nothing), { code: 'execution/half-state' }, task)
    await world.stop()
  })
})
