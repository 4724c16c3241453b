import assert from 'node:assert/strict'
import type { PayloadStatus } from '@keelson/primitives'
import { createMemoryStore, type KeyValueStore } from '@keelson/runtime'
import { DEFAULT_STATE_STORE_OPTIONS } from '@keelson/state'
import type { ExecutionWorld } from '../support/execution-world.ts'
import { LENGTH, mineFullSyncChain } from '../support/full-sync-chain.ts'
import { createRecordingLogger } from '../support/recording-logger.ts'
import { chainPeer, type ListedPeer } from '../support/sync-peers.ts'
import { head, reached, send, until, want } from '../support/sync-world.ts'

const toQuantity = (number: number) => `0x${number.toString(16)}`

describe('full sync', () => {
  const { source, main, branch, chain, at, open, assertSame } = mineFullSyncChain()

  it('answers SYNCING at once, fetches and executes the chain, and applies the forkchoice', async () => {
    const world = await open([chainPeer('a', chain()), chainPeer('b', chain())])
    assert.deepEqual(await send(world, at(LENGTH)), { status: 'SYNCING' })
    const labels = { safe: at(120).hash, finalized: at(100).hash }
    assert.deepEqual(await want(world, at(LENGTH), labels), { status: 'SYNCING' })
    await reached(world, at(LENGTH))
    await until(world, () => world.node.chain.label('safe').hash === labels.safe)
    assertSame(world, main, LENGTH)
    assert.equal(world.node.chain.label('finalized').hash, labels.finalized)
    assert.equal(
      await world.call('eth_getBalance', `0x${'11'.repeat(20)}`, 'latest'),
      await source().call('eth_getBalance', `0x${'11'.repeat(20)}`, toQuantity(LENGTH)),
    )
    assert.deepEqual(await want(world, at(LENGTH), labels), { status: 'VALID', latestValidHash: at(LENGTH).hash })
    await world.stop()
  })

  it('finds a head of which it has only the hash', async () => {
    const world = await open([chainPeer('a', chain())])
    assert.deepEqual(await want(world, at(50)), { status: 'SYNCING' })
    await reached(world, at(50))
    await world.stop()
  })

  it('says in eth_syncing how far it is', async () => {
    const world = await open([])
    await want(world, at(LENGTH))
    await send(world, at(LENGTH))
    await want(world, at(LENGTH))
    const serve = chainPeer('a', chain())
    const headers: ListedPeer['headers'] = async (request, signal) => {
      await world.clock.sleep(5, signal)
      return serve.headers(request, signal)
    }
    world.peers.join({ ...serve, headers })
    const seen: { stage: string; currentBlock: string }[] = []
    await until(world, async () => {
      const status = await world.call('eth_syncing')
      if (status !== false && status.stage !== undefined) seen.push(status)
      return head(world).hash === at(LENGTH).hash
    })
    const stages = new Set(seen.map(({ stage }) => stage))
    assert.deepEqual([...stages], ['headers', 'blocks'])
    const last = seen.at(-1) as (typeof seen)[number]
    assert.deepEqual(
      { ...last, currentBlock: null, stages: null },
      {
        startingBlock: '0x0',
        currentBlock: null,
        highestBlock: toQuantity(LENGTH),
        stage: 'blocks',
        stages: null,
      },
    )
    assert.ok(Number(last.currentBlock) > 0 && Number(last.currentBlock) <= LENGTH)
    await until(world, async () => (await world.call('eth_syncing')).stage === undefined)
    await world.stop()
  })

  it('follows a head that moves on during the sync, with gaps', async () => {
    const world = await open([chainPeer('a', chain())])
    let number = 100
    await want(world, at(number))
    while (number < LENGTH) {
      number += number % 3 === 0 ? 4 : 1
      await send(world, at(number))
      await want(world, at(number))
      await world.clock.advance(1)
    }
    await reached(world, at(number))
    assertSame(world, main, number)
    await world.stop()
  })

  it('needs no peer for blocks that the consensus client has sent', async () => {
    const world = await open([chainPeer('a', chain())])
    await want(world, at(90))
    await reached(world, at(90))
    world.peers.leave('a')
    for (const number of [95, 94, 93, 92]) assert.equal((await send(world, at(number))).status, 'SYNCING')
    assert.equal((await want(world, at(95))).status, 'SYNCING')
    await world.clock.advance(10)
    assert.equal((await send(world, at(91))).status, 'VALID')
    await want(world, at(96))
    await want(world, at(95))
    await reached(world, at(95))
    await world.stop()
  })

  it('has no head that goes back after a sync, when the consensus client chose a newer one as the sync ended', async () => {
    const disk = createMemoryStore()
    const calls: Promise<PayloadStatus>[] = []
    const last = Buffer.from(at(90).hash.slice(2), 'hex')
    const store: KeyValueStore = {
      ...disk,
      async batch(ops, options) {
        // The calls of the consensus client wait while the last block of the sync is written.
        if (calls.length === 0 && ops.some((op) => 'put' in op && Buffer.from(op.put).includes(last) && op.put[0] === 0x41))
          calls.push(send(world, at(91)), want(world, at(91)))
        await disk.batch(ops, options)
      },
    }
    const world = await open([chainPeer('a', chain())], { store })
    await want(world, at(90))
    await until(world, () => calls.length > 0)
    assert.deepEqual(
      (await Promise.all(calls)).map(({ status }) => status),
      ['VALID', 'VALID'],
    )
    await until(world, async () => (await world.call('eth_syncing')).stage === undefined)
    await world.node.settled()
    assert.equal(head(world).hash, at(91).hash)
    await world.stop()
  })

  it('follows the head to another branch during the sync, and after it', async () => {
    for (const before of [1, 40, LENGTH]) {
      const world = await open([chainPeer('a', chain())])
      await want(world, at(LENGTH))
      await until(world, () => head(world).header.number >= Math.min(before, LENGTH) || before === 1)
      await want(world, at(LENGTH + 20, branch))
      await reached(world, at(LENGTH + 20, branch))
      assertSame(world, branch, LENGTH + 20)
      await world.stop()
    }
  })

  it('follows the head to a branch whose first block needs a state that is no longer in memory', async () => {
    const state = { ...DEFAULT_STATE_STORE_OPTIONS, keepLayers: 2, maxLayers: 4 }
    const log = createRecordingLogger()
    const world = await open([chainPeer('a', chain())], { options: { state }, log })
    await want(world, at(LENGTH))
    await reached(world, at(LENGTH))
    await world.node.settled()
    await want(world, at(LENGTH + 20, branch))
    await reached(world, at(LENGTH + 20, branch))
    assertSame(world, branch, LENGTH + 20)
    assert.equal(log.matching('rolled back the state to an older block').length, 1)
    await world.stop()
  })

  it('tells a consensus client whether it fetches blocks', async () => {
    const modeOf = ({ node }: ExecutionWorld) =>
      node.engineMethods.keelson_syncMode?.([], { signal: new AbortController().signal, transport: 'http' })
    const world = await open([])
    assert.equal(await modeOf(world), 'full')
    assert.equal(await modeOf(source()), 'none')
    await world.stop()
  })

  it('stops when the consensus client chooses a head that is known', async () => {
    const world = await open([])
    await want(world, at(LENGTH))
    assert.equal((await want(world, at(0))).status, 'VALID')
    world.peers.join(chainPeer('a', chain()))
    await world.clock.advance(60_000)
    assert.equal(head(world).header.number, 0)
    await world.stop()
  })

  it('continues after a kill behind each of its writes', async function () {
    this.timeout(120_000)
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
    for (let writes = 3; ; writes += 5) {
      left = Number.POSITIVE_INFINITY
      const world = await open([chainPeer('a', chain())], { store: killed })
      if (head(world).hash === at(LENGTH).hash) {
        assertSame(world, main, LENGTH)
        await world.stop()
        break
      }
      await want(world, at(LENGTH))
      left = writes
      await until(world, () => left <= 0 || head(world).hash === at(LENGTH).hash)
      if (left <= 0) kills++
      left = Number.POSITIVE_INFINITY
      await world.stop()
    }
    assert.ok(kills > 5, `${kills} kills`)
  })
})
