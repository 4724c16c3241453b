/** JSON-RPC of the execution client as wallets use it: viem and ethers, unmodified, over HTTP; and the rules they rely on. */
import assert from 'node:assert/strict'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { type Address, bytesToHex, type Hash, hexToBytes, keccak256Hash, toAddress, ZERO_HASH } from '@keelson/primitives'
import { createRpcServer, createSystemClock, type RpcError, type RpcServer } from '@keelson/runtime'
import { JsonRpcProvider, Wallet } from 'ethers'
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  defineChain,
  FeeCapTooLowError,
  http,
  InsufficientFundsError,
  NonceTooLowError,
  parseAbi,
  TransactionRejectedRpcError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createExecutionWorld, type ExecutionWorld, type TestAccount } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'

const ECHO_REVERT = toAddress('0x00000000000000000000000000000000000ec001')
const LOGGER = toAddress('0x00000000000000000000000000000000000ec002')
/** Reverts with its input. */
const ECHO_REVERT_CODE = hexToBytes('0x365f5f37365ffd')
/** Emits a log without data whose one topic is the first word of the input. */
const LOGGER_CODE = hexToBytes('0x5f355f5fa100')
const TOPIC = `0x${'ab'.repeat(32)}` as Hash
const hex = (raw: Uint8Array) => bytesToHex(raw)
const NO_LABELS = { safe: ZERO_HASH, finalized: ZERO_HASH }

const contract = (address: Address, code: Uint8Array) => ({ address, nonce: 1n, balanceWei: 0n, code, storage: [] })
const openWorld = () => createExecutionWorld({ alloc: [contract(ECHO_REVERT, ECHO_REVERT_CODE), contract(LOGGER, LOGGER_CODE)] })

function account(world: ExecutionWorld, i: number): TestAccount {
  return world.accounts[i] as TestAccount
}

function logTransaction(world: ExecutionWorld, from: number, nonce: bigint) {
  return world.sign(from, {
    type: 2,
    chainId: world.chainId,
    nonce,
    gasLimit: 60_000n,
    to: hexToBytes(LOGGER),
    valueWei: 0n,
    data: hexToBytes(TOPIC),
    accessList: [],
    maxPriorityFeePerGasWei: 1n,
    maxFeePerGasWei: 5_000_000_000n,
  })
}

describe('execution RPC: wallets', () => {
  let world: ExecutionWorld
  let server: RpcServer
  before(async () => {
    world = await openWorld()
    server = createRpcServer(
      { name: 'test', host: '127.0.0.1', port: 0 },
      {
        methods: world.node.methods,
        clock: createSystemClock(),
        log: { debug: noop, info: noop, warn: noop, error: noop, child: () => silent },
      },
    )
    await server.start(new AbortController().signal)
  })
  after(async () => {
    await server.stop()
    await world.stop()
  })
  const noop = () => undefined
  const silent = { debug: noop, info: noop, warn: noop, error: noop, child: () => silent }

  const viem = () => {
    const chain = defineChain({
      id: Number(world.chainId),
      name: 'test',
      nativeCurrency: { name: 'test', symbol: 'TST', decimals: 18 },
      rpcUrls: { default: { http: [server.httpUrl] } },
    })
    const transport = http(server.httpUrl, { retryCount: 0 })
    const signer = privateKeyToAccount(hex(account(world, 0).privateKey))
    return {
      reader: createPublicClient({ chain, transport, pollingInterval: 20 }),
      writer: createWalletClient({ chain, transport, account: signer }),
    }
  }

  it('viem sends a transfer, waits for its receipt and reads the block', async () => {
    const { reader, writer } = viem()
    const hash = await writer.sendTransaction({ to: account(world, 1).address, value: 123n })
    await world.mine()
    const receipt = await reader.waitForTransactionReceipt({ hash })
    assert.equal(receipt.status, 'success')
    assert.equal(receipt.gasUsed, 21_000n)
    const block = await reader.getBlock({ includeTransactions: true })
    assert.equal(block.transactions[1]?.hash, hash)
    assert.equal(await reader.getBalance({ address: account(world, 1).address }), 1_000n * 10n ** 18n + 123n)
    assert.equal(await reader.getTransactionCount({ address: account(world, 0).address, blockTag: 'pending' }), 1)
  })

  it('viem recognises the errors of submission', async () => {
    const { writer } = viem()
    const to = account(world, 1).address
    const fees = { maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n, gas: 21_000n }
    const failure = async (request: Parameters<typeof writer.sendTransaction>[0]) => {
      const error = await writer.sendTransaction(request).then(
        () => assert.fail('expected a refusal'),
        (e: unknown) => e,
      )
      assert.ok(error instanceof BaseError)
      return error
    }
    const low = await failure({ to, nonce: 0, ...fees })
    assert.ok(
      low.walk((e) => e instanceof NonceTooLowError),
      low.message,
    )
    const poor = await failure({ to, nonce: 1, value: 10n ** 30n, ...fees })
    assert.ok(
      poor.walk((e) => e instanceof InsufficientFundsError),
      poor.message,
    )
    await writer.sendTransaction({ to, nonce: 1, ...fees })
    const same = await failure({ to, nonce: 1, ...fees })
    assert.ok(
      same.walk((e) => e instanceof NonceTooLowError),
      '"already known" counts as a used nonce',
    )
    const cheap = await failure({ to, nonce: 1, ...fees, maxFeePerGas: 5_000_000_001n })
    assert.match(cheap.message, /replacement transaction underpriced/)
    assert.equal(
      cheap.walk((e) => e instanceof TransactionRejectedRpcError),
      null,
    )
    await world.mine()
  })

  it('viem decodes reverts, fee errors of calls, and sees an empty revert as one', async () => {
    const { reader } = viem()
    const abi = parseAbi(['error Nope(uint256 code)', 'function fail() view returns (uint256)'])
    const read = (data: `0x${string}`) => reader.call({ to: ECHO_REVERT, data }).catch((e: unknown) => e as BaseError)
    const withReason =
      `0x08c379a0${'20'.padStart(64, '0')}${'4'.padStart(64, '0')}${Buffer.from('nope').toString('hex').padEnd(64, '0')}` as const
    assert.match(String(await read(withReason)), /nope/)
    const error = await reader
      .readContract({ address: ECHO_REVERT, abi, functionName: 'fail' })
      .catch((e: unknown) => (e as BaseError).walk((inner) => inner instanceof ContractFunctionRevertedError))
    assert.ok(error instanceof ContractFunctionRevertedError)
    const feeError = await reader
      .call({ to: account(world, 1).address, account: account(world, 0).address, maxFeePerGas: 1n })
      .catch((e: unknown) => (e as BaseError).walk((inner) => inner instanceof FeeCapTooLowError))
    assert.ok(feeError instanceof FeeCapTooLowError)
  })

  it('ethers gives its own codes for the same errors', async () => {
    const provider = new JsonRpcProvider(server.httpUrl, Number(world.chainId), { staticNetwork: true, batchMaxCount: 1 })
    const wallet = new Wallet(hex(account(world, 2).privateKey), provider)
    const to = account(world, 1).address
    const fees = { maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n, gasLimit: 21_000n }
    const sent = await wallet.sendTransaction({ to, value: 1n, ...fees })
    const code = (request: Parameters<typeof wallet.sendTransaction>[0]) =>
      wallet.sendTransaction(request).then(
        () => 'accepted',
        (e: { code?: string }) => e.code,
      )
    assert.equal(await code({ to, nonce: 0, ...fees, maxFeePerGas: 5_000_000_001n }), 'REPLACEMENT_UNDERPRICED')
    await world.mine()
    const receipt = await provider.getTransactionReceipt(sent.hash)
    assert.equal(receipt?.status, 1)
    assert.equal(await code({ to, nonce: 0, ...fees }), 'NONCE_EXPIRED')
    assert.equal(await code({ to, nonce: 1, value: 10n ** 30n, ...fees }), 'INSUFFICIENT_FUNDS')
    const reverted = await provider.call({ to: ECHO_REVERT, data: '0x12345678' }).catch((e: { code: string; data: string }) => e)
    assert.deepEqual(typeof reverted === 'string' ? reverted : { code: reverted.code, data: reverted.data }, {
      code: 'CALL_EXCEPTION',
      data: '0x12345678',
    })
    provider.destroy()
  })
})

describe('execution RPC: texts and shapes', () => {
  it('says what geth says when it refuses a transaction', async () => {
    const world = await openWorld()
    const to = account(world, 1).address
    const send = (tx: { raw: Uint8Array }) => world.call('eth_sendRawTransaction', hex(tx.raw))
    const first = world.transfer(0, to, 1n)
    await send(first)
    assert.deepEqual(pick(await rejection(send(first))), [-32000, 'already known'])
    await world.mine()
    assert.deepEqual(pick(await rejection(send(world.transfer(0, to, 2n, { nonce: 0n })))), [
      -32000,
      'nonce too low: next nonce 1, tx nonce 0',
    ])
    assert.match((await rejection(send(world.transfer(0, to, 10n ** 24n)))).message, /^insufficient funds for gas \* price \+ value: /)
    await send(world.transfer(0, to, 1n, { nonce: 1n }))
    assert.equal((await rejection(send(world.transfer(0, to, 2n, { nonce: 1n })))).message, 'replacement transaction underpriced')
    await send(world.transfer(0, to, 3n, { nonce: 1n, tipWei: 2_000_000_000n, maxFeeWei: 13_000_000_000n }))
    const dear = world.transfer(3, to, 1n, { maxFeeWei: 10n ** 15n, tipWei: 1n })
    assert.match((await rejection(send(dear))).message, /^tx fee exceeds the configured cap/)
    assert.match((await rejection(world.call('eth_sendRawTransaction', '0x05c0'))).message, /^transaction type not supported/)
    assert.equal((await rejection(world.call('eth_sendRawTransaction'))).number, -32602)
    const gas = world.sign(4, {
      type: 0,
      chainId: world.chainId,
      nonce: 0n,
      gasLimit: 20_000n,
      gasPriceWei: 5n * 10n ** 9n,
      to: hexToBytes(to),
      valueWei: 0n,
      data: new Uint8Array(0),
    })
    assert.match((await rejection(send(gas))).message, /^intrinsic gas too low/)
    const large = world.sign(4, {
      type: 0,
      chainId: world.chainId,
      nonce: 0n,
      gasLimit: 31_000_000n,
      gasPriceWei: 10n ** 9n,
      to: hexToBytes(to),
      valueWei: 0n,
      data: new Uint8Array(0),
    })
    assert.match((await rejection(send(large))).message, /^exceeds block gas limit/)
    const unprotected = world.sign(4, {
      type: 0,
      chainId: null,
      nonce: 0n,
      gasLimit: 21_000n,
      gasPriceWei: 5n * 10n ** 9n,
      to: hexToBytes(to),
      valueWei: 0n,
      data: new Uint8Array(0),
    })
    assert.equal((await rejection(send(unprotected))).message, 'only replay-protected (EIP-155) transactions allowed over RPC')
    assert.equal(world.node.pool.counts().pending, 1, 'refused means not kept')
  })

  it('answers a revert with code 3 and its data, and out of gas with another code', async () => {
    const world = await openWorld()
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
    const world = await openWorld()
    const tx = world.transfer(0, account(world, 1).address, 5n)
    const block = await world.mine({ transactions: [tx.raw] })
    const deposit = await world.call('eth_getTransactionByHash', block.transactions[0]?.hash)
    for (const key of ['sourceHash', 'mint', 'isSystemTx', 'nonce', 'gasPrice', 'r', 's', 'v']) assert.ok(key in deposit, key)
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
    // Fjord: a transfer estimates below the floor of 100 bytes; 16 * 1 gwei * 1368 + 1 wei * 810949, over 10^12 of scaled size 10^8.
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

  it('takes tags, numbers, hashes and EIP-1898 objects; refuses loose numbers', async () => {
    const world = await openWorld()
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

  it('proves accounts and storage, and gives raw forms that hash to what they should', async () => {
    const world = await openWorld()
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

describe('execution RPC: logs and subscriptions', () => {
  it('finds logs by address and topic, bounds the range, and says how to go on', async () => {
    const world = await createExecutionWorld({
      alloc: [contract(LOGGER, LOGGER_CODE)],
      options: { rpc: { ...DEFAULT_EXECUTION_OPTIONS.rpc, maxLogRangeBlocks: 3, maxLogResults: 2 } },
    })
    for (let i = 0n; i < 4n; i++) await world.mine({ transactions: [logTransaction(world, 0, i).raw] })
    const logs = await world.call('eth_getLogs', { fromBlock: '0x2', toBlock: '0x3', address: LOGGER, topics: [[TOPIC, ZERO_HASH]] })
    assert.deepEqual(
      logs.map((log: { blockNumber: string; logIndex: string; removed: boolean }) => [log.blockNumber, log.logIndex, log.removed]),
      [
        ['0x2', '0x0', false],
        ['0x3', '0x0', false],
      ],
    )
    assert.deepEqual(await world.call('eth_getLogs', { fromBlock: '0x2', toBlock: '0x3', topics: [ZERO_HASH] }), [])
    assert.deepEqual(await world.call('eth_getLogs', { fromBlock: '0x2', toBlock: '0x3', address: account(world, 0).address }), [])
    assert.equal((await world.call('eth_getLogs', { fromBlock: '0x4', toBlock: '0x4', topics: [null] })).length, 1)
    assert.equal((await world.call('eth_getLogs', { fromBlock: '0x4', toBlock: '0x4', topics: [null, null] })).length, 0)
    const wide = await rejection(world.call('eth_getLogs', { fromBlock: '0x0', toBlock: '0x4' }))
    assert.deepEqual([wide.number, wide.data], [-32005, { from: '0x0', to: '0x2', limit: 3 }])
    const many = await rejection(world.call('eth_getLogs', { fromBlock: '0x2', toBlock: '0x4' }))
    assert.equal(many.message, 'query exceeds max results 2, retry with the range 2-3')
    assert.equal((await rejection(world.call('eth_getLogs', { fromBlock: '0x3', toBlock: '0x2' }))).message, 'invalid block range params')
    assert.equal((await rejection(world.call('eth_getLogs', { blockHash: ZERO_HASH }))).message, 'unknown block')
  })

  it('announces every new head in order, and takes logs back on a reorganisation', async () => {
    const world = await openWorld()
    const heads: string[] = []
    const logs: { blockHash: string; removed: boolean }[] = []
    const closers: (() => void)[] = []
    const ids: Record<string, unknown> = {}
    const notify = (method: string, params: unknown) => {
      assert.equal(method, 'eth_subscription')
      const { subscription, result } = params as { subscription: string; result: never }
      if (subscription === ids.heads) heads.push((result as { hash: string }).hash)
      if (subscription === ids.logs) logs.push(result)
      return true
    }
    const context = {
      signal: new AbortController().signal,
      transport: 'ws' as const,
      notify,
      onClose: (close: () => void) => void closers.push(close),
    }
    const subscribe = (...params: unknown[]) => world.node.methods.eth_subscribe?.(params, context)
    ids.heads = await subscribe('newHeads')
    ids.logs = await subscribe('logs', { address: LOGGER })
    const a1 = await world.mine({ transactions: [logTransaction(world, 0, 0n).raw] })
    const b1 = await world.mine({ parent: world.genesis.hash, prevRandao: TOPIC, noTxPool: true, setHead: false })
    const b2 = await world.mine({ parent: b1.hash, noTxPool: true, setHead: false })
    await world.engine.forkchoiceUpdated({ head: b2.hash, ...NO_LABELS }, null)
    assert.deepEqual(heads, [a1.hash, b1.hash, b2.hash])
    assert.deepEqual(
      logs.map((log) => [log.blockHash, log.removed]),
      [
        [a1.hash, false],
        [a1.hash, true],
      ],
    )
    assert.equal(await world.node.methods.eth_unsubscribe?.([ids.logs], context), true)
    for (const close of closers) close()
    await world.mine()
    assert.equal(heads.length, 3, 'nothing is sent after the connection closed')
    const overHttp = await rejection(Promise.resolve(world.call('eth_subscribe', 'newHeads')))
    assert.deepEqual([overHttp.number, overHttp.message], [-32001, 'notifications not supported'])
  })

  it('keeps a filter while it is polled, and says so when it is gone', async () => {
    const world = await openWorld()
    const blocks = await world.call('eth_newBlockFilter')
    const logs = await world.call('eth_newFilter', { address: LOGGER })
    const pending = await world.call('eth_newPendingTransactionFilter')
    const tx = logTransaction(world, 0, 0n)
    await world.call('eth_sendRawTransaction', hex(tx.raw))
    const block = await world.mine()
    assert.deepEqual(await world.call('eth_getFilterChanges', blocks), [block.hash])
    assert.deepEqual(await world.call('eth_getFilterChanges', blocks), [])
    assert.equal((await world.call('eth_getFilterChanges', logs))[0].transactionHash, tx.hash)
    assert.deepEqual(await world.call('eth_getFilterChanges', pending), [tx.hash])
    assert.equal((await world.call('eth_getFilterLogs', logs)).length, 1)
    await world.clock.advance(4 * 60_000)
    assert.deepEqual(await world.call('eth_getFilterChanges', blocks), [])
    await world.clock.advance(4 * 60_000)
    assert.deepEqual(await world.call('eth_getFilterChanges', blocks), [], 'polling renewed it')
    assert.deepEqual(pick(await rejection(world.call('eth_getFilterChanges', logs))), [-32000, 'filter not found'])
    assert.equal(await world.call('eth_uninstallFilter', blocks), true)
    assert.equal(await world.call('eth_uninstallFilter', blocks), false)
  })
})

describe('execution RPC: fees', () => {
  it('gives one base fee more than blocks, ratios as numbers, rewards for each percentile', async () => {
    const world = await openWorld()
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

function pick(error: RpcError): [number, string] {
  return [error.number, error.message]
}
