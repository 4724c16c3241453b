import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import {
  type Block,
  blockToPayload,
  bytesToHex,
  EngineApiError,
  type ExecutionPayload,
  type Hash,
  hashHeader,
  hexToBytes,
  ZERO_HASH,
} from '@keelson/primitives'
import { createMemoryStore, type KeyValueStore } from '@keelson/runtime'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'

const NO_LABELS = { safe: ZERO_HASH, finalized: ZERO_HASH }
const hex = (raw: Uint8Array) => bytesToHex(raw)

function payloadOf(block: Block): { payload: ExecutionPayload; root: Hash | null } {
  const { payload, parentBeaconBlockRoot } = blockToPayload(block, true)
  assert.equal(payload.blockHash, block.hash)
  return { payload, root: parentBeaconBlockRoot }
}

async function follow(to: ExecutionWorld, blocks: readonly Block[]): Promise<void> {
  for (const block of blocks) {
    const { payload, root } = payloadOf(block)
    assert.deepEqual(await to.engine.newPayload(payload, root), { status: 'VALID', latestValidHash: block.hash })
    const result = await to.engine.forkchoiceUpdated({ head: block.hash, ...NO_LABELS }, null)
    assert.equal(result.status.status, 'VALID')
  }
}

describe('execution: building and importing', () => {
  it('places the given transactions first, then those of the pool by tip', async () => {
    const world = await createExecutionWorld()
    const low = world.transfer(0, world.accounts[5]?.address ?? '0x', 1n, { tipWei: 1_000n })
    const high = world.transfer(1, world.accounts[5]?.address ?? '0x', 1n, { tipWei: 9_000n })
    const given = world.transfer(2, world.accounts[5]?.address ?? '0x', 1n, { tipWei: 1n })
    await world.call('eth_sendRawTransaction', hex(low.raw))
    await world.call('eth_sendRawTransaction', hex(high.raw))
    const block = await world.mine({ transactions: [given.raw] })
    assert.deepEqual(
      block.transactions.slice(1).map((tx) => tx.hash),
      [given.hash, high.hash, low.hash],
    )
    assert.deepEqual(world.node.pool.counts(), { pending: 0, queued: 0, bytes: 0 })
  })

  it('ignores the pool when the attributes say so', async () => {
    const world = await createExecutionWorld()
    await world.call('eth_sendRawTransaction', hex(world.transfer(0, world.accounts[1]?.address ?? '0x', 1n).raw))
    const block = await world.mine({ noTxPool: true })
    assert.equal(block.transactions.length, 1)
    assert.equal(world.node.pool.counts().pending, 1)
  })

  it('includes transactions that arrive during the build until the payload is requested', async () => {
    const world = await createExecutionWorld()
    const attributes = world.attributes()
    const { payloadId } = await world.engine.forkchoiceUpdated({ head: world.genesis.hash, ...NO_LABELS }, attributes)
    assert.ok(payloadId)
    const tx = world.transfer(3, world.accounts[4]?.address ?? '0x', 7n)
    await world.call('eth_sendRawTransaction', hex(tx.raw))
    const built = await world.engine.getPayload(payloadId)
    assert.deepEqual(built.payload.transactions.map(hex).slice(1), [hex(tx.raw)])
    assert.equal(built.blockValueWei, 21_000n * 1_000_000_000n)
    await world.call('eth_sendRawTransaction', hex(world.transfer(4, world.accounts[4]?.address ?? '0x', 7n).raw))
    assert.deepEqual(await world.engine.getPayload(payloadId), built, 'a sealed payload does not change')
  })

  it('drops a transaction that breaks the executor, and builds the block without it', async () => {
    const fatal = 666n
    const world = await createExecutionWorld({
      wrapEngine: (engine) => ({
        ...engine,
        open(view, env, rules, options) {
          const session = engine.open(view, env, rules, options)
          const call = session.call.bind(session)
          session.call = (message) => {
            if (message.valueWei === fatal) throw new Error('a fault in the engine')
            return call(message)
          }
          return session
        },
      }),
    })
    const to = world.accounts[9]?.address ?? '0x'
    const poison = world.transfer(0, to, fatal, { tipWei: 9_000n })
    const good = world.transfer(1, to, 1n, { tipWei: 1n })
    for (const tx of [poison, good]) await world.call('eth_sendRawTransaction', hex(tx.raw))
    const block = await world.mine()
    assert.deepEqual(
      block.transactions.slice(1).map((tx) => tx.hash),
      [good.hash],
    )
    assert.equal(world.node.pool.find(poison.hash), null)
  })

  it('fills no block beyond its gas limit or DA footprint', async () => {
    const world = await createExecutionWorld({ forks: { ...forksAtGenesis('isthmus') } })
    const jovian = await createExecutionWorld()
    for (const each of [world, jovian]) {
      for (let i = 0; i < 60; i++) {
        await each.call('eth_sendRawTransaction', hex(each.transfer(i % 10, each.accounts[9]?.address ?? '0x', 1n).raw))
      }
      await each.node.settled()
    }
    const byGas = await world.mine({ gasLimit: 1_000_000n })
    assert.equal(byGas.transactions.length, 47, 'the deposit and 46 transfers of 21,000 gas')
    const byFootprint = await jovian.mine({ gasLimit: 1_000_000n })
    assert.equal(byFootprint.transactions.length, 26, 'the deposit and 25 transfers of 100 bytes at 400 gas a byte')
    assert.equal(byFootprint.header.blobGasUsed, 1_000_000n)
    assert.equal((await world.mine({ gasLimit: 30_000_000n })).transactions.length, 15, 'the rest follows')
  })

  it('gets the same hash on an importing node under every fork', async () => {
    for (const forks of [{ regolith: 0 }, { regolith: 0, canyon: 0, delta: 0 }, undefined]) {
      const world = await createExecutionWorld(forks === undefined ? {} : { forks })
      const follower = await createExecutionWorld(forks === undefined ? {} : { forks })
      await world.call('eth_sendRawTransaction', hex(world.transfer(0, world.accounts[1]?.address ?? '0x', 5n).raw))
      const blocks = [await world.mine(), await world.mine()]
      for (const block of blocks) {
        const isthmus = forks === undefined
        const { payload, parentBeaconBlockRoot } = blockToPayload(block, isthmus)
        assert.deepEqual(await follower.engine.newPayload(payload, parentBeaconBlockRoot), { status: 'VALID', latestValidHash: block.hash })
        await follower.engine.forkchoiceUpdated({ head: block.hash, ...NO_LABELS }, null)
      }
      assert.equal(
        await follower.call('eth_getBalance', world.accounts[1]?.address),
        await world.call('eth_getBalance', world.accounts[1]?.address),
      )
    }
  })

  it('rejects a bad block with the reason, and its children without execution', async () => {
    const world = await createExecutionWorld()
    const follower = await createExecutionWorld()
    const block = await world.mine()
    const header = { ...block.header, stateRoot: `0x${'11'.repeat(32)}` as Hash }
    const bad: Block = { ...block, header, hash: hashHeader(header) }
    const { payload, root } = payloadOf(bad)
    const status = await follower.engine.newPayload(payload, root)
    assert.equal(status.status, 'INVALID')
    assert.ok(status.status === 'INVALID' && /state-root/.test(status.reason) && status.latestValidHash === world.genesis.hash)
    const childHeader = { ...block.header, number: 2, parentHash: bad.hash, timestampSec: block.header.timestampSec + 2 }
    const child: Block = { ...block, header: childHeader, hash: hashHeader(childHeader) }
    const second = payloadOf(child)
    const childStatus = await follower.engine.newPayload(second.payload, second.root)
    assert.ok(childStatus.status === 'INVALID' && /previously rejected/.test(childStatus.reason))
    const choice = await follower.engine.forkchoiceUpdated({ head: child.hash, ...NO_LABELS }, null)
    assert.equal(choice.status.status, 'INVALID')
    assert.equal(await follower.call('eth_blockNumber'), '0x0')
  })

  it('answers SYNCING for an unknown parent and INVALID for a wrong hash', async () => {
    const world = await createExecutionWorld()
    const follower = await createExecutionWorld()
    await world.mine()
    const second = await world.mine()
    const { payload, root } = payloadOf(second)
    assert.deepEqual(await follower.engine.newPayload(payload, root), { status: 'SYNCING' })
    assert.deepEqual((await follower.engine.forkchoiceUpdated({ head: second.hash, ...NO_LABELS }, null)).status, { status: 'SYNCING' })
    const status = await follower.engine.newPayload({ ...payload, gasUsed: payload.gasUsed + 1n }, root)
    assert.ok(status.status === 'INVALID' && /blockhash mismatch/.test(status.reason))
  })
})

describe('execution: forkchoice', () => {
  const code = (expected: string) => (error: unknown) => error instanceof EngineApiError && error.code === expected

  it('accepts an ancestor as head and returns the transactions to the pool', async () => {
    const world = await createExecutionWorld()
    const first = await world.mine()
    const tx = world.transfer(0, world.accounts[1]?.address ?? '0x', 1n)
    await world.call('eth_sendRawTransaction', hex(tx.raw))
    await world.mine()
    assert.notEqual(await world.call('eth_getTransactionReceipt', tx.hash), null)
    await world.engine.forkchoiceUpdated({ head: first.hash, ...NO_LABELS }, null)
    await world.node.settled()
    assert.equal(await world.call('eth_blockNumber'), '0x1')
    assert.equal(await world.call('eth_getTransactionReceipt', tx.hash), null)
    assert.equal(await world.call('eth_getBlockByNumber', '0x2', false), null)
    assert.equal(world.node.pool.counts().pending, 1)
    const again = await world.mine()
    assert.equal(again.transactions[1]?.hash, tx.hash)
  })

  it('switches branches with their numbers, transactions and logs', async () => {
    const world = await createExecutionWorld()
    const a1 = await world.mine()
    const tx = world.transfer(0, world.accounts[1]?.address ?? '0x', 1n)
    const a2 = await world.mine({ transactions: [tx.raw], noTxPool: true })
    const b2 = await world.mine({ parent: a1.hash, prevRandao: `0x${'22'.repeat(32)}` as Hash, noTxPool: true })
    const b3 = await world.mine({ noTxPool: true })
    assert.equal((await world.call('eth_getBlockByNumber', '0x2', false)).hash, b2.hash)
    assert.equal(b3.header.parentHash, b2.hash)
    assert.equal(await world.call('eth_getTransactionReceipt', tx.hash), null)
    await world.engine.forkchoiceUpdated({ head: a2.hash, ...NO_LABELS }, null)
    assert.equal((await world.call('eth_getBlockByNumber', 'latest', false)).hash, a2.hash)
    assert.equal((await world.call('eth_getTransactionReceipt', tx.hash)).blockHash, a2.hash)
    assert.equal(await world.call('eth_getBlockByNumber', '0x3', false), null)
  })

  it('checks safe and finalized before it changes anything', async () => {
    const world = await createExecutionWorld()
    const a1 = await world.mine()
    const a2 = await world.mine()
    const b2 = await world.mine({ parent: a1.hash, prevRandao: `0x${'33'.repeat(32)}` as Hash, setHead: false })
    await world.engine.forkchoiceUpdated({ head: a2.hash, safe: a2.hash, finalized: a1.hash }, null)
    assert.equal((await world.call('eth_getBlockByNumber', 'safe', false)).hash, a2.hash)
    assert.equal((await world.call('eth_getBlockByNumber', 'finalized', false)).hash, a1.hash)
    const unknown = `0x${'44'.repeat(32)}` as Hash
    const refused = code('engine/invalid-forkchoice')
    await assert.rejects(world.engine.forkchoiceUpdated({ head: a2.hash, safe: unknown, finalized: a1.hash }, null), refused)
    await assert.rejects(world.engine.forkchoiceUpdated({ head: a2.hash, safe: b2.hash, finalized: ZERO_HASH }, null), refused)
    await assert.rejects(world.engine.forkchoiceUpdated({ head: a2.hash, safe: a1.hash, finalized: a2.hash }, null), refused)
    assert.equal(world.node.chain.label('unsafe').hash, a2.hash)
    await world.engine.forkchoiceUpdated({ head: a1.hash, ...NO_LABELS }, null)
    assert.equal(world.node.chain.label('safe').hash, a1.hash, 'safe is never above the head')
  })

  it('names the problem of invalid attributes, and keeps the given head', async () => {
    const world = await createExecutionWorld()
    const state = { head: world.genesis.hash, ...NO_LABELS }
    const good = world.attributes()
    const refused = code('engine/invalid-attributes')
    await assert.rejects(world.engine.forkchoiceUpdated(state, { ...good, timestampSec: world.genesis.timestampSec }), refused)
    await assert.rejects(world.engine.forkchoiceUpdated(state, { ...good, eip1559Params: null }), refused)
    for (const params of ['0x0000000000000006', '0x0000003200000000', '0x00000032000006'] as const) {
      await assert.rejects(world.engine.forkchoiceUpdated(state, { ...good, eip1559Params: hexToBytes(params) }), refused, params)
    }
    for (const params of ['0x0000003200000006', '0x0000000000000000'] as const) {
      assert.notEqual((await world.engine.forkchoiceUpdated(state, { ...good, eip1559Params: hexToBytes(params) })).payloadId, null, params)
    }
    await assert.rejects(world.engine.forkchoiceUpdated(state, { ...good, minBaseFeeWei: null }), refused)
    await assert.rejects(world.engine.forkchoiceUpdated(state, { ...good, parentBeaconBlockRoot: null }), refused)
    await assert.rejects(world.engine.getPayload('0x0300000000000000' as never), code('engine/unknown-payload'))
  })

  it('answers INVALID and builds nothing when a given transaction cannot be included', async () => {
    const world = await createExecutionWorld()
    const future = world.transfer(0, world.accounts[1]?.address ?? '0x', 1n, { nonce: 7n })
    const state = { head: world.genesis.hash, ...NO_LABELS }
    const wrongNonce = await world.engine.forkchoiceUpdated(state, world.attributes({ transactions: [future.raw] }))
    assert.equal(wrongNonce.payloadId, null)
    assert.ok(wrongNonce.status.status === 'INVALID' && /nonce-too-high/.test(wrongNonce.status.reason))
    const garbage = await world.engine.forkchoiceUpdated(state, world.attributes({ transactions: [Uint8Array.of(2, 0xc0)] }))
    assert.ok(garbage.status.status === 'INVALID' && garbage.payloadId === null)
  })
})

describe('execution: persistence', () => {
  it('opens after a kill at the same head with labels and pool, and executes nothing again', async () => {
    const world = await createExecutionWorld()
    const blocks = [await world.mine(), await world.mine(), await world.mine()]
    await world.engine.forkchoiceUpdated(
      { head: blocks[2]?.hash as Hash, safe: blocks[1]?.hash as Hash, finalized: blocks[0]?.hash as Hash },
      null,
    )
    const waiting = world.transfer(0, world.accounts[1]?.address ?? '0x', 1n)
    await world.call('eth_sendRawTransaction', hex(waiting.raw))
    const again = await world.restart()
    for (const label of ['unsafe', 'safe', 'finalized'] as const)
      assert.deepEqual(again.node.chain.label(label), world.node.chain.label(label))
    assert.equal(again.node.pool.find(waiting.hash)?.hash, waiting.hash)
    const next = await again.mine()
    assert.equal(next.transactions[1]?.hash, waiting.hash)
    assert.equal(next.header.number, 4)
  })

  it('goes back below the state on disk through history', async () => {
    const state = { ...DEFAULT_EXECUTION_OPTIONS.state, keepLayers: 2, maxLayers: 4 }
    const world = await createExecutionWorld({ options: { state } })
    const target = world.accounts[9]?.address ?? '0x'
    const hashes: Hash[] = []
    const balances: string[] = []
    for (let i = 0; i < 12; i++) {
      const block = await world.mine({ transactions: [world.transfer(0, target, 1n, { nonce: BigInt(i) }).raw], noTxPool: true })
      hashes.push(block.hash)
      balances.push(await world.call('eth_getBalance', target))
      await world.engine.forkchoiceUpdated({ head: block.hash, safe: block.hash, finalized: block.hash }, null)
    }
    await world.node.settled()
    assert.equal(await world.call('eth_getBalance', target, '0x3'), balances[2], 'history answers below the disk layer')
    await world.engine.forkchoiceUpdated({ head: hashes[4] as Hash, ...NO_LABELS }, null)
    assert.equal(await world.call('eth_blockNumber'), '0x5')
    assert.equal(await world.call('eth_getBalance', target), balances[4])
    assert.equal(world.node.chain.label('finalized').hash, hashes[4])
    const next = await world.mine({ noTxPool: true })
    assert.equal(next.header.number, 6)
    const again = await world.restart()
    assert.equal(await again.call('eth_getBalance', target), balances[4])
  })

  it('calls no block valid that could not be written', async () => {
    const writer = await createExecutionWorld()
    const block = await writer.mine()
    const { payload, root } = payloadOf(block)
    const memory = createMemoryStore()
    let broken = false
    const store: KeyValueStore = { ...memory, batch: (ops) => (broken ? Promise.reject(new Error('disk full')) : memory.batch(ops)) }
    const world = await createExecutionWorld({ store })
    broken = true
    await assert.rejects(world.engine.newPayload(payload, root), /disk full/)
    assert.equal(world.node.chain.block(block.hash), null)
    broken = false
    assert.equal((await world.engine.newPayload(payload, root)).status, 'VALID')
    broken = true
    await assert.rejects(world.engine.forkchoiceUpdated({ head: block.hash, ...NO_LABELS }, null), /disk full/)
    assert.equal(await world.call('eth_blockNumber'), '0x0')
    broken = false
    await world.engine.forkchoiceUpdated({ head: block.hash, ...NO_LABELS }, null)
    assert.equal(await world.call('eth_blockNumber'), '0x1')
  })

  it('rejects the data of another chain before it changes anything', async () => {
    const world = await createExecutionWorld()
    await world.mine()
    await assert.rejects(
      createExecutionWorld({ store: world.store, chainId: 902n }),
      (error: { code?: string; message: string }) => error.code === 'execution/wrong-network' && /holds chain 901/.test(error.message),
    )
    assert.equal((await world.restart()).node.chain.label('unsafe').header.number, 1)
  })

  it('follows a long chain while the state is flattened behind it', async () => {
    const world = await createExecutionWorld({ options: { state: { ...DEFAULT_EXECUTION_OPTIONS.state, keepLayers: 3, maxLayers: 6 } } })
    const blocks: Block[] = []
    for (let i = 0; i < 20; i++) blocks.push(await world.mine({ noTxPool: true }))
    const follower = await createExecutionWorld()
    await follow(follower, blocks)
    assert.equal(follower.node.chain.label('unsafe').hash, world.node.chain.label('unsafe').hash)
    await world.node.settled()
    assert.equal((await world.restart()).node.chain.label('unsafe').header.number, 20)
  })
})
