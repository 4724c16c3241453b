import assert from 'node:assert/strict'
import { hexToBytes, keccak256Hash, ZERO_HASH } from '@keelson/primitives'
import { account, ECHO_REVERT, LOGGER, openRpcWorld, TOPIC } from '../support/execution-rpc-world.ts'
import { rejection } from '../support/rejection.ts'

describe('execution RPC: shapes', () => {
  it('answers a revert with code 3 and its data, and out of gas with another code', async () => {
    const world = await openRpcWorld()
    const empty = await rejection(world.call('eth_call', { to: ECHO_REVERT }, 'latest'))
    assert.deepEqual([empty.number, empty.message, empty.data], [3, 'execution reverted', '0x'])
    const panic = await rejection(world.call('eth_call', { to: ECHO_REVERT, data: `0x4e487b71${'11'.padStart(64, '0')}` }, 'latest'))
    assert.equal(panic.message, 'execution reverted: arithmetic underflow or overflow')
    const estimate = await rejection(world.call('eth_estimateGas', { to: ECHO_REVERT, data: '0xdeadbeef' }))
    assert.deepEqual([estimate.number, estimate.data], [3, '0xdeadbeef'])
    assert.equal((await rejection(world.call('eth_call', { to: LOGGER, data: TOPIC, gas: '0x5300' }, 'latest'))).number, -32000)
    assert.equal(await world.call('eth_call', { to: account(world, 1).address, data: '0x' }), '0x')
  })

  it('shows deposits and fees as op-geth does, and every field of a block', async () => {
    const world = await openRpcWorld()
    const tx = world.transfer(0, account(world, 1).address, 5n)
    const block = await world.mine({ transactions: [tx.raw] })
    const deposit = await world.call('eth_getTransactionByHash', block.transactions[0]?.hash)
    for (const key of ['sourceHash', 'nonce', 'gasPrice', 'r', 's', 'v']) assert.ok(key in deposit, key)
    // kona rejects a block whose L1 info deposit has "isSystemTx": false.
    for (const key of ['mint', 'isSystemTx']) assert.ok(!(key in deposit), `${key} says nothing here`)
    const [depositReceipt, receipt] = await world.call('eth_getBlockReceipts', block.hash)
    assert.deepEqual(
      [depositReceipt.depositNonce, depositReceipt.depositReceiptVersion, depositReceipt.effectiveGasPrice],
      ['0x0', '0x1', '0x0'],
    )
    for (const key of [
      'l1Fee',
      'l1GasUsed',
      'l1GasPrice',
      'l1BaseFeeScalar',
      'l1BlobBaseFee',
      'l1BlobBaseFeeScalar',
      'daFootprintGasScalar',
    ]) {
      assert.ok(key in receipt, key)
    }
    // Under Fjord, a transfer counts as the minimum of 100 bytes.
    assert.equal(BigInt(receipt.l1Fee), (100_000_000n * (16n * 1_000_000_000n * 1_368n + 810_949n)) / 10n ** 12n)
    const shown = await world.call('eth_getBlockByHash', block.hash, false)
    for (const key of 'number hash parentHash timestamp transactions gasUsed gasLimit baseFeePerGas difficulty extraData logsBloom miner mixHash nonce receiptsRoot sha3Uncles size stateRoot totalDifficulty transactionsRoot uncles withdrawals withdrawalsRoot'.split(
      ' ',
    )) {
      assert.ok(key in shown, key)
    }
    assert.deepEqual(await world.call('eth_getTransactionReceipt', tx.hash), receipt)
    const balance = BigInt(await world.call('eth_getBalance', account(world, 0).address))
    const paid = 1_000n * 10n ** 18n - balance - 5n
    assert.equal(paid, 21_000n * BigInt(receipt.effectiveGasPrice) + BigInt(receipt.l1Fee))
  })

  it('accepts tags, numbers, hashes and EIP-1898 objects, and rejects malformed numbers', async () => {
    const world = await openRpcWorld()
    const block = await world.mine()
    const address = account(world, 0).address
    const expected = await world.call('eth_getBalance', address, 'latest')
    for (const at of [
      'pending',
      '0x1',
      { blockNumber: '0x1' },
      { blockHash: block.hash },
      { blockHash: block.hash, requireCanonical: true },
      block.hash,
    ]) {
      assert.equal(await world.call('eth_getBalance', address, at), expected)
    }
    for (const bad of ['0x01', '1', 1, 'newest', { blockNumber: '0x1', blockHash: block.hash }]) {
      assert.equal((await rejection(world.call('eth_getBalance', address, bad))).number, -32602, JSON.stringify(bad))
    }
    assert.equal((await rejection(world.call('eth_getBalance', address, '0x99'))).message, 'header not found')
    assert.equal(await world.call('eth_getBlockByNumber', '0x99', false), null)
    assert.equal((await rejection(world.call('eth_getBalance', '0x1234'))).number, -32602)
    const fork = await world.mine({ parent: world.genesis.hash, prevRandao: TOPIC, setHead: false })
    assert.equal(
      (await rejection(world.call('eth_getBalance', address, { blockHash: fork.hash, requireCanonical: true }))).message,
      'hash is not currently canonical',
    )
  })

  it('proves accounts and storage, and returns raw forms with the correct hashes', async () => {
    const world = await openRpcWorld()
    const block = await world.mine()
    const proof = await world.call('eth_getProof', '0x4200000000000000000000000000000000000015', ['0x1', ZERO_HASH], 'latest')
    assert.deepEqual([proof.storageProof[0].key, proof.storageProof[0].value], ['0x1', '0x3b9aca00'])
    assert.equal(proof.storageProof[1].key, ZERO_HASH)
    assert.equal(keccak256Hash(hexToBytes(await world.call('debug_getRawHeader', '0x1'))), block.hash)
    assert.equal(keccak256Hash(hexToBytes(proof.accountProof[0])), block.header.stateRoot)
    assert.equal(await world.call('web3_sha3', '0x'), keccak256Hash(new Uint8Array(0)))
    assert.equal(await world.call('net_version'), '901')
  })
})

describe('execution RPC: fees', () => {
  it('returns one base fee more than blocks, ratios as numbers, and rewards for each percentile', async () => {
    const world = await openRpcWorld()
    for (let i = 0n; i < 3n; i++) {
      await world.mine({ transactions: [world.transfer(0, account(world, 1).address, 1n, { nonce: i, tipWei: 7n }).raw] })
    }
    const history = await world.call('eth_feeHistory', '0x2', 'latest', [0, 100])
    assert.equal(history.oldestBlock, '0x2')
    assert.equal(history.baseFeePerGas.length, 3)
    assert.deepEqual(history.gasUsedRatio, [42_000 / 30_000_000, 42_000 / 30_000_000])
    assert.deepEqual(history.reward, [
      ['0x0', '0x7'],
      ['0x0', '0x7'],
    ])
    const next = await world.mine()
    assert.equal(history.baseFeePerGas[2], `0x${next.header.baseFeeWei?.toString(16)}`)
    assert.equal((await world.call('eth_feeHistory', 1, 'latest')).baseFeePerGas.length, 2)
    assert.match((await rejection(world.call('eth_feeHistory', '0x1', '0x99', []))).message, /^request beyond head block/)
    assert.match((await rejection(world.call('eth_feeHistory', '0x1', 'latest', [50, 20]))).message, /^invalid reward percentile/)
    assert.equal(await world.call('eth_maxPriorityFeePerGas'), '0xf4240')
  })
})
