import assert from 'node:assert/strict'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import {
  type Address,
  bigintToBytes,
  EMPTY_TRIE_ROOT,
  EngineApiError,
  encodeDeposit,
  hexToBytes,
  type PayloadId,
  type SignedTransaction,
  TX_DEPOSIT,
  toAddress,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import { createManualClock, type ManualClock, nextTurn } from '@keelson/runtime'
import type { TransactionConditional } from '../../packages/execution/src/txpool/conditional.ts'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions } from '../support/execution-world.ts'

const NO_LABELS = { safe: ZERO_HASH, finalized: ZERO_HASH }
const GENESIS_TIME = 1_700_000_000
const unusedAddress = (i: number) =>
  toAddress(
    new Uint8Array(20)
      .fill(0xd0)
      .fill(i >> 8, 18, 19)
      .fill(i & 255, 19),
  )
const OTHER = toHash(new Uint8Array(32).fill(0x77))
const LOOP = toAddress(hexToBytes('0x00000000000000000000000000000000000c0de5'))
const STORE = toAddress(hexToBytes('0x00000000000000000000000000000000000c0de6'))
const contract = (address: Address, code: `0x${string}`) => ({ address, nonce: 1n, balanceWei: 0n, code: hexToBytes(code), storage: [] })
/** LOOP runs until it is out of gas; STORE writes calldata to slot 0. */
const CONTRACTS = [contract(LOOP, '0x5b60016002015060005600'), contract(STORE, '0x60003560005500')]

/** Each look takes 5 ms, so that code which looks at the clock while it runs takes time. */
function workingClock(): ManualClock {
  const clock = createManualClock(GENESIS_TIME * 1000)
  let nowMs = 0
  return { ...clock, monotonicMs: () => (nowMs += 5) }
}

const open = (options: ExecutionWorldOptions & { readonly builder?: Partial<typeof DEFAULT_EXECUTION_OPTIONS.builder> } = {}) =>
  createExecutionWorld({
    genesisTimestampSec: GENESIS_TIME,
    alloc: CONTRACTS,
    ...options,
    options: { builder: { ...DEFAULT_EXECUTION_OPTIONS.builder, ...options.builder } },
  })

interface Call {
  readonly from: number
  readonly to: Address
  readonly gas: bigint
  readonly tip: bigint
  readonly nonce?: bigint
  readonly data?: Uint8Array
}

async function submit(world: ExecutionWorld, call: Call, conditional?: Partial<TransactionConditional>): Promise<SignedTransaction> {
  const tx = world.sign(call.from, {
    type: 2,
    chainId: world.chainId,
    nonce: call.nonce ?? 0n,
    gasLimit: call.gas,
    to: hexToBytes(call.to),
    valueWei: 0n,
    data: call.data ?? new Uint8Array(0),
    accessList: [],
    maxPriorityFeePerGasWei: call.tip,
    maxFeePerGasWei: 10n ** 10n,
  })
  const none = { knownAccounts: [], blockNumberMin: null, blockNumberMax: null, timestampMin: null, timestampMax: null }
  const verdict = await world.node.pool.add(tx, 'local', conditional === undefined ? {} : { conditional: { ...none, ...conditional } })
  assert.notEqual(verdict.kind, 'rejected', JSON.stringify(verdict))
  return tx
}

async function begin(world: ExecutionWorld, transactions: readonly Uint8Array[] = []): Promise<PayloadId> {
  const { hash } = world.node.chain.label('unsafe')
  const { payloadId } = await world.engine.forkchoiceUpdated({ head: hash, ...NO_LABELS }, world.attributes({ transactions }))
  assert.ok(payloadId)
  return payloadId
}

async function take(world: ExecutionWorld, id: PayloadId): Promise<string[]> {
  const { payload, parentBeaconBlockRoot } = await world.engine.getPayload(id)
  const genesis = world.node.chain.header(world.genesis.hash)
  assert.ok(genesis)
  const judge = await open({ gasLimit: genesis.gasLimit })
  for (let number = 1; number < payload.blockNumber; number++) {
    const before = await world.l2Source.payload(number)
    assert.ok(before)
    await judge.engine.newPayload(before.payload, before.parentBeaconBlockRoot)
  }
  assert.equal((await judge.engine.newPayload(payload, parentBeaconBlockRoot)).status, 'VALID')
  assert.equal((await world.engine.newPayload(payload, parentBeaconBlockRoot)).status, 'VALID')
  await world.engine.forkchoiceUpdated({ head: payload.blockHash, ...NO_LABELS }, null)
  const block = world.node.chain.block(payload.blockHash)
  assert.ok(block)
  return block.transactions.slice(1).map((tx) => tx.hash)
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn()
}

describe('execution: building under pressure', () => {
  it('undoes a transaction that runs too long, and goes on with others', async () => {
    const world = await open({ clock: workingClock(), builder: { fillBudgetMs: 60_000, maxTransactionMs: 100 } })
    const before = await submit(world, { from: 0, to: STORE, gas: 100_000n, tip: 9n, data: new Uint8Array(32).fill(1) })
    const long = await submit(world, { from: 1, to: LOOP, gas: 25_000_000n, tip: 5n })
    const after = await submit(world, { from: 2, to: STORE, gas: 100_000n, tip: 2n, data: new Uint8Array(32).fill(2) })
    const id = await begin(world)
    await turns(5)
    assert.deepEqual(await take(world, id), [before.hash, after.hash])
    assert.ok(world.node.pool.find(long.hash), 'another block may have the time')
    assert.equal(await world.call('eth_getTransactionCount', world.accounts[1]?.address, 'latest'), '0x0')
  })

  it('drops a transaction too long for any block, so that the next block has room for others', async () => {
    const world = await open({ clock: workingClock(), builder: { fillBudgetMs: 150 } })
    const long = await submit(world, { from: 1, to: LOOP, gas: 25_000_000n, tip: 9n })
    const short = await submit(world, { from: 2, to: STORE, gas: 100_000n, tip: 5n })
    const first = await begin(world)
    const given: string[] = []
    world.node.pool.onDropped(({ pooled, reason }) => given.push(`${pooled.hash} ${reason}`))
    while (given.length === 0) await nextTurn()
    assert.deepEqual(given, [`${long.hash} failed`])
    assert.deepEqual(await take(world, first), [])
    const second = await begin(world)
    await turns(5)
    assert.deepEqual(await take(world, second), [short.hash])
  })

  it('rebuilds a full block for a better transaction when the rebuild is due', async () => {
    const world = await open({ gasLimit: 2_100_000n, builder: { refillIntervalMs: 500 } })
    const first = await submit(world, { from: 0, to: STORE, gas: 500_000n, tip: 5n })
    const second = await submit(world, { from: 2, to: STORE, gas: 1_000_000n, tip: 1n })
    const id = await begin(world)
    await turns(5)
    const late = await submit(world, { from: 3, to: STORE, gas: 2_040_000n, tip: 50n })
    await turns(5)
    await world.clock.advance(500)
    await turns(5)
    assert.deepEqual(await take(world, id), [late.hash, first.hash, second.hash])
  })

  it('skips the later transactions of a sender without funds in the block, and keeps them in the pool', async () => {
    const world = await open()
    const [poor, rich] = [world.accounts[0], world.accounts[1]]
    assert.ok(poor && rich)
    const first = await submit(world, { from: 0, to: STORE, gas: 100_000n, tip: 9n })
    const second = await submit(world, { from: 0, to: STORE, gas: 100_000n, tip: 9n, nonce: 1n })
    const other = await submit(world, { from: 1, to: STORE, gas: 100_000n, tip: 5n })
    const emptied = encodeDeposit({
      type: TX_DEPOSIT,
      sourceHash: new Uint8Array(32).fill(7),
      from: hexToBytes(poor.address),
      to: hexToBytes(rich.address),
      mintWei: 0n,
      valueWei: 1_000n * 10n ** 18n,
      gasLimit: 50_000n,
      isSystemTx: false,
      data: new Uint8Array(0),
    })
    const id = await begin(world, [emptied.raw])
    assert.deepEqual(await take(world, id), [emptied.hash, other.hash])
    assert.equal(world.node.pool.find(first.hash), null)
    assert.ok(world.node.pool.find(second.hash), 'its funds may come back')
    assert.equal(world.node.pool.counts().queued, 1)
  })
})

describe('execution: payloads that were not requested', () => {
  const begun = async (state: Partial<typeof DEFAULT_EXECUTION_OPTIONS.state>) => {
    const world = await createExecutionWorld({ options: { state: { ...DEFAULT_EXECUTION_OPTIONS.state, ...state } } })
    const parent = await world.mine()
    const id = await begin(world)
    for (let i = 0; i < 8; i++) {
      const block = await world.mine({ parent: i === 0 ? parent.hash : world.node.chain.label('unsafe').hash, prevRandao: OTHER })
      await world.engine.forkchoiceUpdated({ head: block.hash, safe: block.hash, finalized: block.hash }, null)
      await world.node.settled()
    }
    return { world, id }
  }

  it('are available while the state of their parent is kept', async () => {
    const { world, id } = await begun({})
    assert.equal((await world.engine.getPayload(id)).payload.blockNumber, 2)
  })

  it('are unknown when that state is gone', async () => {
    const { world, id } = await begun({ maxLayers: 2 })
    await assert.rejects(world.engine.getPayload(id), (error) => error instanceof EngineApiError && error.code === 'engine/unknown-payload')
    await assert.rejects(world.engine.getPayload(id), EngineApiError)
  })
})

describe('execution: transaction conditions in a block under construction', () => {
  const slot = toHash(new Uint8Array(32))
  const value = (n: number) => toHash(bigintToBytes(BigInt(n), 32))
  const writes = (n: number) => hexToBytes(value(n))

  it('are checked at the position of the transaction, after the changes of earlier ones', async () => {
    const world = await open()
    const expects = (n: number) => ({ knownAccounts: [{ address: STORE, storage: [{ slot, value: value(n) }] }] })
    const writer = await submit(world, { from: 0, to: STORE, gas: 100_000n, tip: 9n, data: writes(1) })
    const holds = await submit(world, { from: 1, to: STORE, gas: 100_000n, tip: 8n, data: writes(2) }, expects(1))
    const broken = await submit(world, { from: 2, to: STORE, gas: 100_000n, tip: 7n, data: writes(3) }, expects(1))
    const reasons: string[] = []
    world.node.pool.onDropped(({ pooled, reason }) => reasons.push(`${pooled.hash} ${reason}`))
    assert.deepEqual(await take(world, await begin(world)), [writer.hash, holds.hash])
    assert.ok(reasons.includes(`${broken.hash} condition`))
    assert.equal(world.node.pool.find(broken.hash), null)
  })

  it('treat the root of an account that the block has changed as different', async () => {
    const world = await open()
    const root = toHash(hexToBytes('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'))
    const expects = { knownAccounts: [{ address: STORE, storage: root }] }
    const holds = await submit(world, { from: 1, to: STORE, gas: 100_000n, tip: 9n, data: writes(2) }, expects)
    const broken = await submit(world, { from: 2, to: STORE, gas: 100_000n, tip: 7n, data: writes(3) }, expects)
    assert.deepEqual(await take(world, await begin(world)), [holds.hash])
    assert.equal(world.node.pool.find(broken.hash), null)
  })

  it('list the changed accounts once per position, however many accounts they name', async () => {
    let lists = 0
    const world = await open({
      wrapEngine: (engine) => ({
        ...engine,
        open: (...input) => {
          const session = engine.open(...input)
          const takeDiff = session.takeDiff.bind(session)
          session.takeDiff = () => {
            lists++
            return takeDiff()
          }
          return session
        },
      }),
    })
    const knownAccounts = Array.from({ length: 400 }, (_, i) => ({ address: unusedAddress(i), storage: EMPTY_TRIE_ROOT }))
    const sent: string[] = []
    for (const from of [0, 1, 2]) sent.push((await submit(world, { from, to: STORE, gas: 100_000n, tip: 5n }, { knownAccounts })).hash)
    lists = 0
    const id = await begin(world)
    await turns(60)
    const forConditions = lists
    assert.deepEqual(await take(world, id), sent)
    assert.ok(forConditions >= 3 && forConditions <= 6, `listed ${forConditions} times for three places`)
  })

  it('wait for the next payload when they exceed the look-up limit of one payload', async () => {
    const world = await open()
    const knownAccounts = Array.from({ length: 450 }, (_, i) => ({ address: unusedAddress(i), storage: EMPTY_TRIE_ROOT }))
    const sent: string[] = []
    for (let from = 0; from < 6; from++)
      sent.push((await submit(world, { from, to: STORE, gas: 100_000n, tip: 5n }, { knownAccounts })).hash)
    const first = await begin(world)
    await turns(60)
    assert.deepEqual(
      await take(world, first),
      sent.slice(0, 5),
      'a payload has 5,000 look-ups; each costs 900 and what the block has touched',
    )
    const second = await begin(world)
    await turns(60)
    assert.deepEqual(await take(world, second), sent.slice(5))
  })

  it('wait for their block, and are dropped when it has passed', async () => {
    const world = await open()
    const later = await submit(world, { from: 1, to: STORE, gas: 100_000n, tip: 9n }, { blockNumberMin: 2n })
    const never = await submit(world, { from: 2, to: STORE, gas: 100_000n, tip: 7n }, { timestampMax: BigInt(GENESIS_TIME) + 1n })
    assert.deepEqual(await take(world, await begin(world)), [])
    assert.equal(world.node.pool.find(never.hash), null)
    assert.deepEqual(await take(world, await begin(world)), [later.hash])
  })
})
