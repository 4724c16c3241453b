import assert from 'node:assert/strict'
import { forkLimitOf } from '@keelson/chainspec'
import { runDatabaseTask } from '@keelson/execution'
import {
  type Address,
  type Block,
  bigintToBytes,
  blockToPayload,
  bytesToHex,
  type GenesisAccount,
  type Hash,
  keccak256,
  type PayloadStatus,
  rlpEncode,
  rlpEncodeList,
  ZERO_HASH,
} from '@keelson/primitives'
import { createMemoryStore, type KeyValueStore, type LevelStore } from '@keelson/runtime'
import { type LocalPeer, localPeer } from '../../packages/execution/src/sync/snap/local-peer.test-support.ts'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions } from '../support/execution-world.ts'
import { createRecordingLogger } from '../support/recording-logger.ts'
import { rejection } from '../support/rejection.ts'
import { chainPeer, createPeerList, type ListedPeer, type PeerList, rebuiltChain, servedChain } from '../support/sync-peers.ts'

const LENGTH = 330
/** The first head of most tests. */
const FIRST = 200
const PIVOT = FIRST - 64
const CONTRACT = `0x${'c0'.repeat(20)}` as Address
/** PUSH1 1 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN */
const RETURNS_SLOT_1 = Uint8Array.of(0x60, 1, 0x54, 0x5f, 0x52, 0x60, 32, 0x5f, 0xf3)
const SLOTS = 300
/** First byte of the keys of headers. */
const HEADER = 0x41

const alloc: readonly GenesisAccount[] = [
  {
    address: CONTRACT,
    nonce: 1n,
    balanceWei: 7n,
    code: RETURNS_SLOT_1,
    storage: Array.from({ length: SLOTS }, (_, i) => [bigintToBytes(BigInt(i), 32), keccak256(bigintToBytes(BigInt(i), 32))] as const),
  },
]

function gateOf(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((open) => {
    resolve = open
  })
  return { promise, resolve }
}

describe('snap sync of a node', () => {
  let source: ExecutionWorld
  const main: Block[] = []

  before(async function () {
    this.timeout(120_000)
    source = await createExecutionWorld({ alloc })
    main.push(source.node.chain.block(source.genesis.hash) as Block)
    for (let number = 1; number <= LENGTH; number++) {
      const to = `0x${(number % 50).toString(16).padStart(40, '1')}` as const
      const transactions = number % 3 === 0 ? [source.transfer(number % 5, to, BigInt(number)).raw] : []
      main.push(await source.mine({ transactions }))
    }
  })
  after(() => source.stop())

  const chain = () => servedChain(source.node.chain)
  const at = (number: number) => main[number] as Block

  /** Serves states as if `head` were the newest block. */
  function snapPeer(
    id: string,
    head: () => number,
    hooks: Parameters<typeof localPeer>[2] = {},
  ): ListedPeer & { readonly snap: LocalPeer } {
    const { state } = source.node.database(source.store as LevelStore)
    const reader = { ...source.node.chain, label: () => at(head()) }
    return { ...chainPeer(id, chain()), snap: localPeer({ chain: reader, state } as never, id, hooks) }
  }

  async function open(peers: readonly ListedPeer[], options: ExecutionWorldOptions = {}): Promise<ExecutionWorld & { peers: PeerList }> {
    const list = createPeerList(peers)
    return { ...(await createExecutionWorld({ alloc, syncMode: 'snap', ...options, syncPeers: list })), peers: list }
  }

  async function want(world: ExecutionWorld, { hash }: Pick<Block, 'hash'>, labels: { safe?: Hash } = {}): Promise<PayloadStatus> {
    return (await world.engine.forkchoiceUpdated({ head: hash, safe: labels.safe ?? ZERO_HASH, finalized: ZERO_HASH }, null)).status
  }

  function send(world: ExecutionWorld, block: Block): Promise<PayloadStatus> {
    const { payload, parentBeaconBlockRoot } = blockToPayload(block, true)
    return world.engine.newPayload(payload, parentBeaconBlockRoot)
  }

  const head = ({ node }: Pick<ExecutionWorld, 'node'>) => node.chain.label('unsafe')

  async function until(world: ExecutionWorld, condition: () => boolean | Promise<boolean>): Promise<void> {
    for (let turns = 0; turns < 20_000; turns++) {
      if (await condition()) return
      await world.clock.advance(turns < 19_000 ? 1 : 1_000)
    }
    assert.fail(`gave up at head ${head(world).header.number}`)
  }

  const reached = (world: ExecutionWorld, block: Block) => until(world, () => head(world).hash === block.hash)

  async function hasHeaders(world: ExecutionWorld): Promise<boolean> {
    const { stages = [] } = await world.call('eth_syncing')
    return stages.some(({ name, done }: { name: string; done: string }) => name === 'headers' && Number(done) === FIRST)
  }

  async function assertSame(world: ExecutionWorld, upTo: number): Promise<void> {
    const receipts = ({ node }: ExecutionWorld, hash: Hash) =>
      node.chain.receipts(hash)?.map(({ receipt, sender }) => ({ receipt, sender }))
    for (const { hash, header, transactions } of main.slice(0, upTo + 1)) {
      assert.equal(world.node.chain.canonicalHash(header.number), hash, `block ${header.number}`)
      assert.deepEqual(world.node.chain.block(hash), source.node.chain.block(hash), `block ${header.number}`)
      assert.deepEqual(receipts(world, hash), receipts(source, hash), `block ${header.number}`)
      for (const [index, tx] of transactions.entries())
        assert.deepEqual(world.node.chain.locate(tx.hash), { blockNumber: header.number, index })
    }
    const number = `0x${upTo.toString(16)}`
    for (const [method, ...params] of [
      ['eth_getProof', CONTRACT, ['0x1'], number],
      ['eth_call', { to: CONTRACT }, number],
      ['eth_getBalance', `0x${'7'.padStart(40, '1')}`, number],
    ] as const)
      assert.deepEqual(await world.call(method, ...params), await source.call(method, ...params), method)
  }

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
    const slow = snapPeer('a', () => FIRST, { beforeAnswer: () => gate.promise })
    const world = await open([slow])
    await want(world, at(FIRST))
    await until(world, () => slow.snap.requests > 0)
    for (const block of [at(0), at(10), at(PIVOT), at(FIRST)]) assert.equal((await want(world, block)).status, 'SYNCING')
    for (const number of [1, 10, FIRST]) assert.equal((await send(world, at(number))).status, 'SYNCING')
    const started = await world.engine.forkchoiceUpdated(
      { head: at(0).hash, safe: ZERO_HASH, finalized: ZERO_HASH },
      source.attributes({ parent: at(0).hash }),
    )
    assert.deepEqual(started, { status: { status: 'SYNCING' }, payloadId: null })
    assert.equal(await world.call('eth_blockNumber'), '0x0')
    for (const [method, ...params] of [
      ['eth_getBalance', CONTRACT, 'latest'],
      ['eth_call', { to: CONTRACT }, 'latest'],
      ['eth_estimateGas', { to: CONTRACT }],
      ['eth_getProof', CONTRACT, [], 'latest'],
      ['eth_getTransactionCount', CONTRACT, 'pending'],
      ['eth_sendRawTransaction', `0x${Buffer.from(source.transfer(1, CONTRACT, 1n).raw).toString('hex')}`],
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

  const LIES: Readonly<Record<string, (receipts: readonly Uint8Array[]) => readonly Uint8Array[]>> = {
    'no RLP': (receipts) => receipts.map(() => Uint8Array.of(0xff)),
    'no receipts': (receipts) => receipts.map(() => rlpEncodeList([])),
    'the same receipts for all blocks': (receipts) => receipts.map(() => receipts[0] as Uint8Array),
    'receipts of another status': (receipts) => receipts.map((list) => list.map((byte, i) => (i === 8 ? byte ^ 1 : byte))),
    'one receipt more': (receipts) => receipts.map((list) => rlpEncodeList([list.subarray(3), rlpEncode(Uint8Array.of(0x7e))])),
    'more than was asked for': (receipts) => [...receipts, ...receipts],
  }
  for (const [lie, tell] of Object.entries(LIES)) {
    it(`drops a peer that sends ${lie}, and finishes with another one`, async () => {
      const told = gateOf()
      const served = snapPeer('honest', () => FIRST)
      const honest: ListedPeer = {
        ...served,
        async receipts(hashes, signal) {
          await told.promise
          return served.receipts(hashes, signal)
        },
      }
      const liar = chainPeer('liar', chain(), {
        async receipts(hashes, signal) {
          told.resolve()
          return tell(await served.receipts(hashes, signal))
        },
      })
      const world = await open([liar, honest])
      await want(world, at(FIRST))
      await reached(world, at(FIRST))
      await assertSame(world, FIRST)
      assert.deepEqual(
        world.peers.list().map(({ id }) => id),
        ['honest'],
      )
      await world.stop()
    })
  }

  it('follows the head to another branch that begins below the pivot', async () => {
    const branch = rebuiltChain(chain(), 100, LENGTH, (block) => ({
      ...block,
      header: { ...block.header, mixHash: `0x${'12'.repeat(32)}` as Hash },
    }))
    const receipts = (hash: Hash) => chain().receipts(at((branch.block(hash) as Block).header.number).hash)
    const gate = gateOf()
    const slow = snapPeer('a', () => FIRST, { beforeAnswer: () => gate.promise })
    const world = await open([chainPeer('b', { ...branch, receipts }), slow])
    await want(world, branch.block(FIRST) as Block)
    await until(world, () => slow.snap.requests > 0)
    const left = branch.block(PIVOT) as Block
    assert.ok(world.node.chain.header(left.hash))
    await want(world, at(FIRST))
    gate.resolve()
    await reached(world, at(FIRST))
    await assertSame(world, FIRST)
    assert.equal(world.node.chain.header(left.hash), null)
    await world.stop()
  })

  /** Writes go to `disk` until `dies` says so for one of them. */
  function mortal(disk: KeyValueStore, dies: (ops: Parameters<KeyValueStore['batch']>[0]) => boolean) {
    let dead = false
    const store: KeyValueStore = {
      ...disk,
      async batch(ops, options) {
        dead ||= dies(ops)
        if (dead) throw new Error('killed')
        await disk.batch(ops, options)
      },
    }
    return { store, isDead: () => dead }
  }

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
    const stuck = snapPeer('a', () => FIRST, { beforeAnswer: () => new Promise(() => undefined) })
    const first = await open([chainPeer('b', { ...branch, receipts }), stuck], { store: disk })
    await want(first, branch.block(FIRST) as Block)
    await until(first, () => stuck.snap.requests > 0)
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

  it('keeps the state of genesis until a peer serves states, and executes each block when none does in two minutes', async () => {
    const log = createRecordingLogger()
    const world = await open([chainPeer('a', chain())], { log })
    await want(world, at(FIRST))
    await until(world, () => hasHeaders(world))
    await world.clock.advance(100_000)
    assert.equal(await world.call('eth_getBalance', CONTRACT, 'latest'), '0x7')
    assert.equal(head(world).header.number, 0)
    await world.clock.advance(20_000)
    await reached(world, at(FIRST))
    await assertSame(world, FIRST)
    assert.ok(await world.call('eth_getBalance', CONTRACT, '0x1'), 'the first block was executed')
    assert.equal(log.matching('no peer serves states, and each block is executed').length, 1)
    await world.stop()
  })

  it('restores pooled transactions after a restart during the download', async () => {
    const disk = createMemoryStore()
    const stuck = snapPeer('a', () => FIRST, { beforeAnswer: () => new Promise(() => undefined) })
    const first = await open([stuck], { store: disk })
    const waiting = source.transfer(1, CONTRACT, 1n, { nonce: 90n })
    await first.call('eth_sendRawTransaction', bytesToHex(waiting.raw))
    await want(first, at(FIRST))
    await until(first, () => stuck.snap.requests > 0)
    await first.stop()
    const world = await open([snapPeer('a', () => FIRST)], { store: disk })
    assert.equal(await world.call('eth_getTransactionByHash', waiting.hash), null)
    await want(world, at(FIRST))
    await reached(world, at(FIRST))
    await until(world, async () => (await world.call('eth_getTransactionByHash', waiting.hash)) !== null)
    await world.stop()
  })

  it('refuses database tasks that need the state while it is fetched, and says why', async () => {
    const stuck = snapPeer('a', () => FIRST, { beforeAnswer: () => new Promise(() => undefined) })
    const world = await open([stuck])
    await want(world, at(FIRST))
    await until(world, () => stuck.snap.requests > 0)
    const database = world.node.database(world.store as LevelStore)
    const nothing = { breathe: async () => undefined, report: () => undefined, signal: new AbortController().signal }
    for (const task of ['prune', 'verify', 'supply', 'export'] as const)
      await assert.rejects(runDatabaseTask(task, {}, database, {} as never, nothing), { code: 'execution/half-state' }, task)
    await world.stop()
  })

  it('reports in health that no peer serves the state, and what to do', async () => {
    const world = await open([chainPeer('a', chain())])
    await want(world, at(FIRST))
    const check = world.node.checks.find(({ name }) => name === 'sync')
    assert.ok(check)
    await until(world, () => hasHeaders(world))
    await world.clock.advance(31_000)
    const result = await check.check()
    assert.ok(!result.ok)
    assert.match(result.reason, /state/)
    assert.match(result.remedy ?? '', /snap\/1/)
    world.peers.join(snapPeer('b', () => FIRST))
    await reached(world, at(FIRST))
    assert.equal((await check.check()).ok, true)
    await world.stop()
  })
})
