import assert from 'node:assert/strict'
import { bytesToHex, toChecksumAddress } from '@keelson/primitives'
import { account, openRpcWorld } from '../support/execution-rpc-world.ts'
import type { ExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'

const METHODS: Readonly<Record<string, readonly [required: number, most: number]>> = {
  eth_blockNumber: [0, 0],
  eth_chainId: [0, 0],
  eth_accounts: [0, 0],
  eth_syncing: [0, 0],
  eth_config: [0, 0],
  eth_capabilities: [0, 0],
  eth_getBlockByNumber: [1, 2],
  eth_getBlockByHash: [1, 2],
  eth_getHeaderByNumber: [1, 1],
  eth_getHeaderByHash: [1, 1],
  eth_getBlockReceipts: [1, 1],
  eth_getBlockTransactionCountByNumber: [1, 1],
  eth_getBlockTransactionCountByHash: [1, 1],
  eth_getUncleCountByBlockNumber: [1, 1],
  eth_getUncleCountByBlockHash: [1, 1],
  eth_getUncleByBlockNumberAndIndex: [2, 2],
  eth_getUncleByBlockHashAndIndex: [2, 2],
  eth_getTransactionByHash: [1, 1],
  eth_getTransactionByBlockNumberAndIndex: [2, 2],
  eth_getTransactionByBlockHashAndIndex: [2, 2],
  eth_getRawTransactionByHash: [1, 1],
  eth_getRawTransactionByBlockNumberAndIndex: [2, 2],
  eth_getRawTransactionByBlockHashAndIndex: [2, 2],
  eth_getTransactionReceipt: [1, 1],
  eth_getTransactionBySenderAndNonce: [2, 2],
  eth_fillTransaction: [1, 1],
  eth_getTransactionCount: [1, 2],
  eth_getBalance: [1, 2],
  eth_getCode: [1, 2],
  eth_getStorageAt: [2, 3],
  eth_getStorageValues: [1, 2],
  eth_getProof: [2, 3],
  eth_call: [1, 4],
  eth_estimateGas: [1, 4],
  eth_createAccessList: [1, 4],
  eth_simulateV1: [1, 2],
  eth_gasPrice: [0, 0],
  eth_baseFee: [0, 0],
  eth_blobBaseFee: [0, 0],
  eth_maxPriorityFeePerGas: [0, 0],
  eth_feeHistory: [2, 3],
  eth_sendRawTransaction: [1, 1],
  eth_sendRawTransactionConditional: [2, 2],
  eth_sendRawTransactionSync: [1, 2],
  eth_getLogs: [1, 1],
  eth_newFilter: [1, 1],
  eth_newBlockFilter: [0, 0],
  eth_newPendingTransactionFilter: [0, 1],
  eth_getFilterChanges: [1, 1],
  eth_getFilterLogs: [1, 1],
  eth_uninstallFilter: [1, 1],
  eth_unsubscribe: [1, 1],
  net_version: [0, 0],
  net_listening: [0, 0],
  net_peerCount: [0, 0],
  web3_clientVersion: [0, 0],
  web3_sha3: [1, 1],
  txpool_content: [0, 0],
  txpool_contentFrom: [1, 1],
  txpool_inspect: [0, 0],
  txpool_status: [0, 0],
  debug_getRawBlock: [1, 1],
  debug_getRawHeader: [1, 1],
  debug_getRawReceipts: [1, 1],
  debug_getRawTransaction: [1, 1],
  debug_executionWitness: [1, 1],
  debug_payloadWitness: [2, 2],
  debug_storageRangeAt: [5, 5],
  debug_traceTransaction: [1, 2],
  debug_traceBlock: [1, 2],
  debug_traceBlockByNumber: [1, 2],
  debug_traceBlockByHash: [1, 2],
  debug_traceCall: [1, 3],
  trace_block: [1, 1],
  trace_transaction: [1, 1],
  trace_get: [2, 2],
  trace_replayTransaction: [2, 2],
  trace_replayBlockTransactions: [2, 2],
  trace_call: [2, 3],
  trace_filter: [1, 1],
  ots_getInternalOperations: [1, 1],
  ots_traceTransaction: [1, 1],
  ots_getTransactionError: [1, 1],
  ots_getContractCreator: [1, 1],
  ots_getApiLevel: [0, 0],
  ots_hasCode: [1, 2],
  ots_getBlockDetails: [1, 1],
  ots_getBlockDetailsByHash: [1, 1],
  ots_getBlockTransactions: [3, 3],
  ots_getTransactionBySenderAndNonce: [2, 2],
  ots_searchTransactionsBefore: [3, 3],
  ots_searchTransactionsAfter: [3, 3],
  admin_addPeer: [1, 1],
  admin_addTrustedPeer: [1, 1],
  admin_nodeInfo: [0, 0],
  admin_peers: [0, 0],
  admin_removePeer: [1, 1],
  admin_removeTrustedPeer: [1, 1],
  rpc_modules: [0, 0],
}

describe('execution RPC: methods', () => {
  let world: ExecutionWorld
  before(async () => {
    world = await openRpcWorld()
    await world.mine()
  })
  after(() => world.stop())

  it('reports a missing parameter and too many parameters', async () => {
    const plausible = [`0x${'00'.repeat(32)}`, [], '0x0', '0x0']
    for (const [method, [required, most]] of Object.entries(METHODS)) {
      if (required > 0) {
        const none = await rejection(world.call(method))
        assert.deepEqual([none.number, none.message], [-32602, 'missing value for required argument 0'], method)
        const asNull = await rejection(world.call(method, null))
        assert.equal(asNull.message, 'missing value for required argument 0', method)
      }
      const extra = await rejection(world.call(method, ...plausible, ...plausible).then((result) => assert.fail(`${method}: ${result}`)))
      assert.deepEqual([extra.number, extra.message], [-32602, `too many arguments, want at most ${most}`], method)
    }
    const served = Object.keys(world.node.methods).filter((method) => method !== 'eth_subscribe' && !(method in METHODS))
    assert.deepEqual(served, [], 'a method without a line above')
  })

  it('shows the pool by checksummed address and nonce', async () => {
    const to = account(world, 1).address
    const ready = world.transfer(0, to, 5n)
    const waiting = world.transfer(2, to, 7n, { nonce: 3n })
    for (const tx of [ready, waiting]) await world.call('eth_sendRawTransaction', bytesToHex(tx.raw))
    const sender = toChecksumAddress(account(world, 0).address)
    const other = toChecksumAddress(account(world, 2).address)
    assert.deepEqual(await world.call('txpool_status'), { pending: '0x1', queued: '0x1' })
    const content = await world.call('txpool_content')
    assert.deepEqual([Object.keys(content.pending), Object.keys(content.queued)], [[sender], [other]])
    const shown = content.pending[sender]['0']
    assert.deepEqual(
      [shown.hash, shown.blockHash, shown.blockNumber, shown.transactionIndex, shown.gasPrice, shown.maxFeePerGas],
      [ready.hash, null, null, null, '0x28fa6ae00', '0x28fa6ae00'],
    )
    assert.deepEqual(await world.call('eth_getTransactionByHash', ready.hash), shown)
    assert.equal(await world.call('eth_getTransactionReceipt', ready.hash), null)
    assert.equal(await world.call('eth_getRawTransactionByHash', ready.hash), bytesToHex(ready.raw))
    assert.deepEqual(await world.call('txpool_contentFrom', account(world, 2).address), {
      pending: {},
      queued: { 3: content.queued[other]['3'] },
    })
    const inspected = await world.call('txpool_inspect')
    assert.equal(inspected.pending[sender]['0'], `${toChecksumAddress(to)}: 5 wei + 21000 gas × 11000000000 wei`)
    for (const at of ['pending', { blockNumber: 'pending' }]) {
      assert.equal(await world.call('eth_getTransactionCount', account(world, 0).address, at), '0x1')
      assert.equal(await world.call('eth_getTransactionCount', account(world, 2).address, at), '0x0', 'a gap comes before')
    }
    assert.equal(await world.call('eth_getTransactionCount', account(world, 0).address, 'latest'), '0x0')
  })

  it('returns null for what does not exist, and zero for uncles', async () => {
    const nothing = `0x${'ab'.repeat(32)}`
    for (const method of [
      'eth_getBlockByHash',
      'eth_getHeaderByHash',
      'eth_getBlockReceipts',
      'eth_getTransactionByHash',
      'eth_getTransactionReceipt',
    ]) {
      assert.equal(await world.call(method, nothing), null, method)
    }
    for (const method of [
      'eth_getBlockByNumber',
      'eth_getHeaderByNumber',
      'eth_getBlockReceipts',
      'eth_getBlockTransactionCountByNumber',
    ]) {
      assert.equal(await world.call(method, '0xffff'), null, method)
    }
    assert.equal(await world.call('eth_getTransactionByBlockNumberAndIndex', 'latest', '0x7'), null)
    assert.equal(await world.call('eth_getUncleCountByBlockNumber', 'latest'), '0x0')
    assert.equal(await world.call('eth_getUncleByBlockNumberAndIndex', 'latest', '0x0'), null)
    assert.equal((await rejection(world.call('eth_getUncleByBlockNumberAndIndex', 'latest', '0x00'))).number, -32602)
    const header = await world.call('eth_getHeaderByNumber', 'latest')
    const block = await world.call('eth_getBlockByNumber', 'latest')
    for (const [name, value] of Object.entries(header)) assert.deepEqual(value, block[name], name)
    assert.deepEqual(
      Object.keys(block).filter((name) => !(name in header)),
      ['totalDifficulty', 'size', 'uncles', 'transactions', 'withdrawals'],
    )
  })

  it('describes itself in the form of other clients', async () => {
    assert.match(await world.call('web3_clientVersion'), /^Keelson\/v[^/]+\/[a-z0-9]+-[a-z0-9]+\/node[0-9.]+$/)
    assert.deepEqual(await world.call('admin_peers'), [])
    const info = await world.call('admin_nodeInfo')
    for (const name of ['id', 'name', 'enode', 'enr', 'ip', 'ports', 'listenAddr', 'protocols']) assert.ok(name in info, name)
    const { eth } = info.protocols
    assert.deepEqual([eth.network, eth.genesis], [Number(world.chainId), world.genesis.hash])
    const modules = await world.call('rpc_modules')
    for (const name of ['admin', 'debug', 'eth', 'net', 'rpc', 'txpool', 'web3']) assert.equal(modules[name], '1.0')
  })

  it('returns whole pending transactions to a filter that requests them', async () => {
    const filter = await world.call('eth_newPendingTransactionFilter', true)
    const tx = world.transfer(4, account(world, 1).address, 1n)
    await world.call('eth_sendRawTransaction', bytesToHex(tx.raw))
    const [shown] = await world.call('eth_getFilterChanges', filter)
    assert.deepEqual(shown, await world.call('eth_getTransactionByHash', tx.hash))
    assert.equal((await rejection(world.call('eth_newFilter', { fromBlock: '0x2', toBlock: '0x1' }))).message, 'invalid block range params')
  })
})
