import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { type Address, bytesToHex, formatQuantity, type Hash, hexToBytes } from '@keelson/primitives'
import type { RpcContext } from '@keelson/runtime'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'

const CONTEXT: RpcContext = { signal: new AbortController().signal, transport: 'http' }
const GENESIS_TIME = 1_700_000_000

const openWorld = (options: ExecutionWorldOptions = {}) =>
  createExecutionWorld({
    genesisTimestampSec: GENESIS_TIME,
    ...options,
    options: { rpc: { ...DEFAULT_EXECUTION_OPTIONS.rpc, testingMethods: true } },
  })
const addressOf = (world: ExecutionWorld, i: number) => world.accounts[i]?.address as Address
const operator = (world: ExecutionWorld, method: string, ...params: unknown[]) => world.node.engineMethods[method]?.(params, CONTEXT)

function dataTransaction(world: ExecutionWorld, from: number, bytes: number) {
  return world.sign(from, {
    type: 2,
    chainId: world.chainId,
    nonce: 0n,
    gasLimit: 1_000_000n,
    to: hexToBytes(addressOf(world, 9)),
    valueWei: 0n,
    data: Uint8Array.from({ length: bytes }, (_, i) => (i * i * 7 + i * 13 + (i >> 3)) & 255),
    accessList: [],
    maxPriorityFeePerGasWei: 1_000_000_000n,
    maxFeePerGasWei: 11_000_000_000n,
  })
}

describe('execution RPC: operators', () => {
  it("keeps blocks within the batcher's DA limits until they are lifted", async () => {
    const world = await openWorld()
    const large = dataTransaction(world, 0, 2_000)
    const small = [1, 2, 3].map((from) => dataTransaction(world, from, 300))
    for (const tx of [large, ...small]) await world.call('eth_sendRawTransaction', bytesToHex(tx.raw))
    assert.equal(await operator(world, 'miner_setMaxDASize', '0x3e8', '0x258'), true)
    const first = (await world.mine()).transactions.slice(1).map((tx) => tx.hash)
    assert.equal(first.length, 1)
    assert.ok(small.some((tx) => tx.hash === first[0]))
    await operator(world, 'miner_setMaxDASize', '0x3e8', '0x0')
    const second = (await world.mine()).transactions.slice(1).map((tx) => tx.hash)
    assert.deepEqual([...first, ...second].sort(), small.map((tx) => tx.hash).sort())
    await operator(world, 'miner_setMaxDASize', '0x0', '0x0')
    assert.deepEqual(
      (await world.mine()).transactions.slice(1).map((tx) => tx.hash),
      [large.hash],
    )
    assert.equal(world.node.methods.miner_setMaxDASize, undefined, 'not for everybody')
    await world.stop()
  })

  it('does not count the transactions of the attributes', async () => {
    const world = await openWorld()
    await operator(world, 'miner_setMaxDASize', '0x1', '0x1')
    const forced = dataTransaction(world, 0, 500)
    assert.equal((await world.mine({ transactions: [forced.raw] })).transactions.length, 2)
    await world.stop()
  })

  it('answers a submission with the receipt, or with code 4 and the hash after the timeout', async () => {
    const world = await openWorld()
    const tx = world.transfer(0, addressOf(world, 1), 1n)
    const answer = world.call('eth_sendRawTransactionSync', bytesToHex(tx.raw))
    while (world.node.pool.find(tx.hash) === null) await new Promise((resolve) => setImmediate(resolve))
    await world.mine()
    const receipt = await answer
    assert.deepEqual([receipt.transactionHash, receipt.status, receipt.blockNumber], [tx.hash, '0x1', '0x1'])

    const late = world.transfer(0, addressOf(world, 1), 1n)
    const timeout = rejection(world.call('eth_sendRawTransactionSync', bytesToHex(late.raw), 1_000))
    while (world.node.pool.find(late.hash) === null) await new Promise((resolve) => setImmediate(resolve))
    await world.clock.advanceTo(world.clock.nowMs() + 1_500)
    const error = await timeout
    assert.deepEqual([error.number, error.data], [4, late.hash])
    assert.match(error.message, /wasn't processed in 1s/)
    const again = await rejection(world.call('eth_sendRawTransactionSync', bytesToHex(late.raw)))
    assert.deepEqual([again.number, again.message], [-32000, 'already known'])
    assert.equal((await rejection(world.call('eth_sendRawTransactionSync', bytesToHex(late.raw), -1))).number, -32602)
    await world.stop()
  })

  it('builds a test block and leaves the chain unchanged', async () => {
    const world = await openWorld()
    const head = world.node.chain.label('unsafe')
    const { transactions, gasLimit, minBaseFeeWei: _, ...attributes } = world.attributes()
    const json = {
      timestamp: formatQuantity(attributes.timestampSec),
      prevRandao: attributes.prevRandao,
      suggestedFeeRecipient: attributes.feeRecipient,
      withdrawals: [],
      parentBeaconBlockRoot: attributes.parentBeaconBlockRoot,
      transactions: transactions.map((raw) => bytesToHex(raw)),
      gasLimit: formatQuantity(gasLimit),
      eip1559Params: '0x0000000000000000',
      minBaseFee: 0,
    }
    const tx = world.transfer(0, addressOf(world, 1), 1n)
    const built = (await operator(world, 'testing_buildBlockV1', head.hash, json, [bytesToHex(tx.raw)])) as {
      readonly executionPayload: { readonly blockHash: Hash; readonly transactions: readonly string[] }
    }
    assert.deepEqual(built.executionPayload.transactions, [...json.transactions, bytesToHex(tx.raw)])
    assert.equal(world.node.chain.label('unsafe').hash, head.hash)
    assert.equal(world.node.chain.header(built.executionPayload.blockHash), null)
    const bad = world.transfer(0, addressOf(world, 1), 1n, { nonce: 7n })
    const refused = await rejection(Promise.resolve(operator(world, 'testing_buildBlockV1', head.hash, json, [bytesToHex(bad.raw)])))
    assert.equal(refused.number, -32000)
    await world.stop()
  })

  it('returns its schedule: the active rules, the next fork, and an identifier that changes with it', async () => {
    const later = GENESIS_TIME + 1_000
    const world = await openWorld({ forks: { ...forksAtGenesis('isthmus'), jovian: later } })
    const config = await world.call('eth_config')
    assert.deepEqual([config.current.activationTime, config.next.activationTime, config.last.activationTime], [0, later, later])
    assert.notEqual(config.current.forkId, config.next.forkId)
    assert.equal(config.current.blobSchedule, null)
    assert.equal(config.current.precompiles.P256VERIFY, '0x0000000000000000000000000000000000000100')
    assert.deepEqual(Object.keys(config.current.systemContracts), ['BEACON_ROOTS_ADDRESS', 'HISTORY_STORAGE_ADDRESS'])
    // https://docs.base.org/base-chain/specs/upgrades/azul/exec-engine#eth_config-rpc-method
    const base = await openWorld({ forks: { ...forksAtGenesis('isthmus'), jovian: later, azul: later + 1_000 } })
    const onBase = await base.call('eth_config')
    assert.equal(onBase.last.activationTime, later + 1_000)
    for (const each of [onBase.current, onBase.next, onBase.last]) {
      assert.deepEqual(each.blobSchedule, { baseFeeUpdateFraction: 0, max: 0, target: 0 })
      assert.deepEqual(Object.keys(each.systemContracts), ['BEACON_ROOTS_ADDRESS', 'HISTORY_STORAGE_ADDRESS'])
    }
    await base.stop()
    const settled = await openWorld()
    assert.equal((await settled.call('eth_config')).next, null)
    const { head, state } = await settled.call('eth_capabilities')
    assert.deepEqual([head.number, state.oldestBlock], ['0x0', '0x0'])
    assert.deepEqual(await settled.call('admin_peers'), [])
    assert.equal((await settled.call('admin_nodeInfo')).protocols.eth.genesis, settled.genesis.hash)
    await world.stop()
    await settled.stop()
  })
})
