import assert from 'node:assert/strict'
import type { ChainReader } from '@keelson/execution'
import {
  type Block,
  blockToPayload,
  type Hash,
  type PayloadStatus,
  type RlpInput,
  rlpDecode,
  rlpEncode,
  ZERO_HASH,
} from '@keelson/primitives'
import { createMemoryStore, type KeyValueStore } from '@keelson/runtime'
import { DEFAULT_STATE_STORE_OPTIONS } from '@keelson/state'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions } from '../support/execution-world.ts'
import { createRecordingLogger } from '../support/recording-logger.ts'
import {
  chainPeer,
  createPeerList,
  encodeBodyOf,
  type ListedPeer,
  type PeerList,
  rebuiltChain,
  servedChain,
} from '../support/sync-peers.ts'

const LENGTH = 160
const BRANCH_AT = 140

describe('full sync', () => {
  let source: ExecutionWorld
  /** Blocks of the source at each height; `branch` begins above `BRANCH_AT`. */
  const main: Block[] = []
  const branch: Block[] = []

  before(async function () {
    this.timeout(60_000)
    source = await createExecutionWorld()
    main.push(source.node.chain.block(source.genesis.hash) as Block)
    for (let number = 1; number <= LENGTH; number++) {
      const transactions = number % 4 === 0 ? [source.transfer(number % 5, `0x${'11'.repeat(20)}`, BigInt(number)).raw] : []
      main.push(await source.mine({ transactions }))
    }
    branch.push(...main.slice(0, BRANCH_AT + 1))
    for (let number = BRANCH_AT + 1; number <= LENGTH + 20; number++) {
      branch.push(await source.mine({ parent: (branch.at(-1) as Block).hash, setHead: false }))
    }
  })
  after(() => source.stop())

  const chain = () => servedChain(source.node.chain)
  const at = (number: number, blocks = main) => blocks[number] as Block

  async function open(peers: readonly ListedPeer[], options: ExecutionWorldOptions = {}): Promise<ExecutionWorld & { peers: PeerList }> {
    const list = createPeerList(peers)
    return { ...(await createExecutionWorld({ ...options, syncPeers: list })), peers: list }
  }

  async function want(
    world: ExecutionWorld,
    { hash }: Pick<Block, 'hash'>,
    labels: { safe?: Hash; finalized?: Hash } = {},
  ): Promise<PayloadStatus> {
    const state = { head: hash, safe: labels.safe ?? ZERO_HASH, finalized: labels.finalized ?? ZERO_HASH }
    return (await world.engine.forkchoiceUpdated(state, null)).status
  }

  function send(world: ExecutionWorld, block: Block): Promise<PayloadStatus> {
    const { payload, parentBeaconBlockRoot } = blockToPayload(block, true)
    return world.engine.newPayload(payload, parentBeaconBlockRoot)
  }

  const toQuantity = (number: number) => `0x${number.toString(16)}`
  const head = ({ node }: Pick<ExecutionWorld, 'node'>) => node.chain.label('unsafe')

  async function until(world: ExecutionWorld, condition: () => boolean | Promise<boolean>): Promise<void> {
    for (let turns = 0; turns < 20_000; turns++) {
      if (await condition()) return
      await world.clock.advance(turns < 19_000 ? 1 : 1_000)
    }
    assert.fail(`gave up at head ${head(world).header.number}`)
  }

  const reached = (world: ExecutionWorld, block: Block) => until(world, () => head(world).hash === block.hash)

  function assertSame(world: ExecutionWorld, blocks: readonly Block[], upTo: number): void {
    const read = (reader: ChainReader, hash: Hash) => ({ block: reader.block(hash), receipts: reader.receipts(hash) })
    for (const { hash, header } of blocks.slice(0, upTo + 1)) {
      assert.equal(world.node.chain.canonicalHash(header.number), hash, `block ${header.number}`)
      assert.deepEqual(read(world.node.chain, hash), read(source.node.chain, hash), `block ${header.number}`)
    }
  }

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
      await source.call('eth_getBalance', `0x${'11'.repeat(20)}`, toQuantity(LENGTH)),
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
    assert.equal(await modeOf(source), 'none')
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

  const change = (raw: Uint8Array, edit: (fields: RlpInput[]) => RlpInput) => rlpEncode(edit([...(rlpDecode(raw) as RlpInput[])]))
  const LIES: Readonly<Record<string, (bodies: readonly Uint8Array[]) => readonly Uint8Array[]>> = {
    'no RLP': (bodies) => bodies.map(() => Uint8Array.of(0xff)),
    'a single item': (bodies) => bodies.map(() => Uint8Array.of(0x80)),
    'the bodies of other blocks': (bodies) => bodies.map(() => encodeBodyOf(at(159))),
    'a body without its last transaction': (bodies) =>
      bodies.map((raw) => change(raw, ([txs, ...rest]) => [(txs as RlpInput[]).slice(0, -1), ...rest])),
    'a transaction twice': (bodies) =>
      bodies.map((raw) => change(raw, ([txs, ...rest]) => [[...(txs as RlpInput[]), (txs as RlpInput[])[0] as RlpInput], ...rest])),
    'transactions of another type': (bodies) =>
      bodies.map((raw) =>
        change(raw, ([txs, ...rest]) => [(txs as Uint8Array[]).map((tx) => Uint8Array.from([0x55, ...tx.subarray(1)])), ...rest]),
      ),
    'an ommer': (bodies) =>
      bodies.map((raw) => change(raw, ([txs, , ...rest]) => [txs as RlpInput, [rlpDecode(encodeBodyOf(at(1))) as RlpInput], ...rest])),
    'withdrawals that the header does not cover': (bodies) =>
      bodies.map((raw) => change(raw, ([txs, ommers]) => [txs as RlpInput, ommers as RlpInput, [[1n, 1n, new Uint8Array(20), 1n]]])),
    'no list of withdrawals': (bodies) => bodies.map((raw) => change(raw, (fields) => fields.slice(0, 2))),
    'a further field': (bodies) => bodies.map((raw) => change(raw, (fields) => [...fields, []])),
    'more bodies than were asked for': (bodies) => [...bodies, ...bodies],
  }
  for (const [lie, tell] of Object.entries(LIES)) {
    it(`drops a peer that sends ${lie}, and finishes with another one`, async () => {
      const honest = chainPeer('honest', chain())
      const liar = chainPeer('liar', chain(), { bodies: async (hashes, signal) => tell(await honest.bodies(hashes, signal)) })
      const world = await open([liar, honest])
      await want(world, at(60))
      await reached(world, at(60))
      assertSame(world, main, 60)
      assert.deepEqual(
        world.peers.list().map(({ id }) => id),
        ['honest'],
      )
      await world.stop()
    })
  }

  it('finishes with peers that are silent, empty, short, behind or leave in the middle', async () => {
    const honest = chainPeer('honest', chain())
    let served = 0
    const world = await open([
      chainPeer('silent', chain(), { headers: () => new Promise(() => undefined), bodies: () => new Promise(() => undefined) }),
      chainPeer('empty', chain(), { headers: async () => [], bodies: async () => [] }),
      chainPeer('gaps', chain(), {
        bodies: async (hashes, signal) =>
          honest.bodies(
            hashes.filter((_, i) => i % 4 !== 3),
            signal,
          ),
      }),
      chainPeer('behind', chain(), {
        headers: async ({ start, ...rest }, signal) =>
          typeof start === 'number' ? honest.headers({ start: Math.min(start, 5), ...rest }, signal) : [],
        bodies: async () => [],
      }),
      chainPeer('leaver', chain(), {
        bodies: (hashes, signal) => (served++ > 1 ? Promise.reject(new Error('disconnected')) : honest.bodies(hashes.slice(0, 5), signal)),
      }),
    ])
    await want(world, at(LENGTH))
    await reached(world, at(LENGTH))
    assertSame(world, main, LENGTH)
    assert.equal(world.peers.list().length, 5, 'none of them lied')
    await world.stop()
  })

  it('calls a chain with an invalid block INVALID, names the last valid one, and fetches another chain afterwards', async () => {
    const bad = rebuiltChain(chain(), 60, 100, (block) => ({
      ...block,
      header: { ...block.header, stateRoot: `0x${'99'.repeat(32)}` as Hash },
    }))
    const world = await open([chainPeer('a', bad)])
    assert.deepEqual(await want(world, bad.head), { status: 'SYNCING' })
    await until(world, async () => (await want(world, bad.head)).status === 'INVALID')
    const status = await want(world, bad.head)
    assert.ok(status.status === 'INVALID')
    assert.equal(status.latestValidHash, at(59).hash)
    assert.equal(world.peers.list().length, 1, 'its peer served what was asked for')

    const below = bad.block(80) as Block
    assert.deepEqual(await want(world, below), { status: 'SYNCING' })
    await until(world, async () => (await want(world, below)).status === 'INVALID')
    const child: Block = bad.block(81) as Block
    const told = await send(world, child)
    assert.ok(told.status === 'INVALID')
    assert.equal(told.latestValidHash, at(59).hash)

    world.peers.join(chainPeer('b', chain()))
    await want(world, at(LENGTH))
    await reached(world, at(LENGTH))
    assertSame(world, main, LENGTH)
    await world.stop()
  })

  it('calls a chain from another genesis block INVALID', async () => {
    const other = await createExecutionWorld({ genesisTimestampSec: 1_600_000_000 })
    const foreign = await other.mine()
    const world = await open([chainPeer('a', servedChain(other.node.chain))])
    await want(world, foreign)
    await until(world, async () => (await want(world, foreign)).status === 'INVALID')
    assert.equal(head(world).header.number, 0)
    await other.stop()
    await world.stop()
  })

  it('reports in health that it waits for peers, and what to do', async () => {
    const world = await open([])
    await want(world, at(LENGTH))
    const check = world.node.checks.find(({ name }) => name === 'sync')
    assert.ok(check)
    await world.clock.advance(29_000)
    assert.equal((await check.check()).ok, true)
    await world.clock.advance(2_000)
    const result = await check.check()
    assert.ok(!result.ok)
    assert.match(result.reason, /waited for peers for 31 s, and none is connected/)
    assert.match(result.remedy ?? '', /--p2p/)
    world.peers.join(chainPeer('a', chain()))
    await reached(world, at(LENGTH))
    assert.equal((await check.check()).ok, true)
    await world.stop()
  })

  it('is healthy again when the consensus client brings the blocks for which it has waited', async () => {
    const world = await open([])
    await want(world, at(2))
    await world.clock.advance(31_000)
    const check = world.node.checks.find(({ name }) => name === 'sync')
    assert.equal((await check?.check())?.ok, false)
    for (const number of [1, 2]) assert.equal((await send(world, at(number))).status, 'VALID')
    assert.equal((await want(world, at(2))).status, 'VALID')
    await world.clock.advance(1)
    assert.equal((await check?.check())?.ok, true)
    await world.stop()
  })
})
