/** Expected answers: go-ethereum 1.17.10, internal/ethapi/transaction_args.go (setDefaults) and api.go (FillTransaction). */
import assert from 'node:assert/strict'
import { bytesToHex, decodeSignedTransaction, EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, hexToBytes, ZERO_HASH } from '@keelson/primitives'
import { account, openRpcWorld } from '../support/execution-rpc-world.ts'
import type { ExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'

describe('execution RPC: transactions to fill and to find', () => {
  let world: ExecutionWorld
  before(async () => {
    world = await openRpcWorld()
    await world.mine()
  })
  after(() => world.stop())

  it('fills nonce, gas, chain and fees, and returns what is to be signed', async () => {
    const from = account(world, 0).address
    const to = account(world, 1).address
    const { raw, tx } = await world.call('eth_fillTransaction', { from, to, value: '0x5' })
    assert.deepEqual(
      [tx.type, tx.nonce, tx.gas, tx.chainId, tx.to, tx.value, tx.input, tx.gasPrice, tx.accessList],
      ['0x2', '0x0', '0x5208', '0x385', to, '0x5', '0x', null, []],
    )
    const tip = BigInt(await world.call('eth_maxPriorityFeePerGas'))
    const baseFee = BigInt(await world.call('eth_baseFee'))
    assert.deepEqual([BigInt(tx.maxPriorityFeePerGas), BigInt(tx.maxFeePerGas)], [tip, 2n * baseFee + tip])
    assert.deepEqual([tx.v, tx.r, tx.s], ['0x0', '0x0', '0x0'])
    assert.equal(decodeSignedTransaction(hexToBytes(raw)).hash, tx.hash)
  })

  it('keeps what is given: gas price, list, nonce, gas', async () => {
    const to = account(world, 1).address
    const given = { to, nonce: '0x7', gas: '0x9999', gasPrice: '0x10' }
    const legacy = (await world.call('eth_fillTransaction', given)).tx
    assert.deepEqual([legacy.type, legacy.nonce, legacy.gas, legacy.gasPrice, legacy.maxFeePerGas], ['0x0', '0x7', '0x9999', '0x10', null])
    const listed = (await world.call('eth_fillTransaction', { ...given, accessList: [{ address: to, storageKeys: [] }] })).tx
    assert.deepEqual([listed.type, listed.accessList], ['0x1', [{ address: to, storageKeys: [] }]])
  })

  it('refuses what geth refuses, with its words', async () => {
    const to = account(world, 1).address
    const refused = async (tx: object) => (await rejection(world.call('eth_fillTransaction', tx))).message
    assert.equal(await refused({}), 'contract creation without any data provided')
    assert.equal(await refused({ to, chainId: '0x1' }), "chainId does not match node's (have=1, want=901)")
    assert.equal(await refused({ to, gasPrice: '0x0' }), 'gasPrice must be non-zero after london fork')
    assert.equal(await refused({ to, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }), 'maxFeePerGas (1) < maxPriorityFeePerGas (2)')
    assert.equal(await refused({ to, maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' }), 'maxFeePerGas must be non-zero')
    assert.equal(
      await refused({ to, gasPrice: '0x1', maxFeePerGas: '0x1' }),
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
    )
    assert.equal(await refused({ data: '0xfe' }), 'invalid opcode: INVALID')
    assert.match(await refused({ to, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }), /^transaction type not supported/)
  })

  it('finds a transaction by sender and nonce, in the pool and in a block', async () => {
    const from = account(world, 2).address
    const tx = world.transfer(2, account(world, 3).address, 5n, { nonce: 0n })
    const found = (nonce: string) => world.call('eth_getTransactionBySenderAndNonce', from, nonce)
    assert.equal(await found('0x0'), null)
    await world.call('eth_sendRawTransaction', bytesToHex(tx.raw))
    const waiting = await found('0x0')
    assert.deepEqual([waiting.hash, waiting.blockHash], [tx.hash, null])
    const block = await world.mine()
    const mined = await found('0x0')
    assert.deepEqual([mined.hash, mined.blockHash, mined.from], [tx.hash, block.hash, from])
    assert.deepEqual(mined, await world.call('eth_getTransactionByHash', tx.hash))
    assert.equal(await found('0x1'), null)
    assert.equal(await found('0xffffffffffffffff'), null)
    assert.equal((await rejection(found('0'))).number, -32602)
  })

  it('proves that an account is absent with zero hashes, which no account has', async () => {
    // core/state/statedb.go: GetCodeHash and GetStorageRoot of an absent account, which eth_getProof answers.
    const absent = await world.call('eth_getProof', `0x${'ab'.repeat(20)}`, ['0x0'], 'latest')
    assert.deepEqual([absent.codeHash, absent.storageHash], [ZERO_HASH, ZERO_HASH])
    assert.deepEqual([absent.balance, absent.nonce, absent.storageProof], ['0x0', '0x0', [{ key: '0x0', value: '0x0', proof: [] }]])
    assert.ok(absent.accountProof.length > 0)
    const plain = await world.call('eth_getProof', account(world, 0).address, [], 'latest')
    assert.deepEqual([plain.codeHash, plain.storageHash], [EMPTY_CODE_HASH, EMPTY_TRIE_ROOT])
  })

  it('traces a call with flatCallTracer without a block, because no block has it', async () => {
    // eth/tracers/api.go: TraceCall passes an empty context.
    const [trace] = await world.call('debug_traceCall', { to: account(world, 1).address }, 'latest', { tracer: 'flatCallTracer' })
    assert.deepEqual([trace.blockHash, trace.blockNumber, trace.transactionHash, trace.transactionPosition], [null, 0, null, 0])
  })
})
