import assert from 'node:assert/strict'
import { createForkSchedule, forksAtGenesis } from '@keelson/chainspec'
import {
  DEFAULT_EXECUTION_OPTIONS,
  type PoolRejection,
  REJECTION_TEXTS,
  RPC_ERRORS,
  type RpcErrorName,
  rejectionError,
  rpcError,
} from '@keelson/execution'
import {
  bytesToHex,
  createPureCrypto,
  encodeSignedTransaction,
  type GenesisAccount,
  hexToBytes,
  keccak256,
  L1_BLOCK,
  signingDigest,
  toAddress,
  type UnsignedTransaction,
  ZERO_HASH,
} from '@keelson/primitives'
import type { RpcServer } from '@keelson/runtime'
import { JsonRpcProvider, WebSocketProvider } from 'ethers'
import * as viem from 'viem'
import { getTransactionError } from 'viem/utils'
import { account, ECHO_REVERT, LOGGER, NO_LABELS, openRpcWorld, serveMethods, TOPIC } from '../support/execution-rpc-world.ts'
import type { ExecutionWorld } from '../support/execution-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: error classes with constructors of all kinds
type ErrorClass = new (...args: any[]) => Error

interface Case {
  readonly method: string
  readonly params: readonly unknown[]
  readonly viem: ErrorClass
  readonly ethers: string
  readonly over?: 'http' | 'ws'
}

const crypto = createPureCrypto()
const GWEI = 10n ** 9n
const UNKNOWN = 'UNKNOWN_ERROR'
const slot = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

const key = (name: string) => keccak256(new TextEncoder().encode(`keelson error test ${name}`))
const addressOf = (name: string) => toAddress(crypto.addressOf(key(name)))
const special = (name: string, more: Partial<GenesisAccount>): GenesisAccount => ({
  address: addressOf(name),
  nonce: 0n,
  balanceWei: 10n ** 20n,
  code: new Uint8Array(0),
  storage: [],
  ...more,
})
const DELEGATION = hexToBytes(`0xef0100${LOGGER.slice(2)}`)
const ALLOC = [
  special('last nonce', { nonce: (1n << 64n) - 1n }),
  special('contract', { code: Uint8Array.of(0) }),
  special('delegated', { code: DELEGATION }),
  special('busy', { code: DELEGATION }),
]

describe('execution RPC: errors as libraries read them', () => {
  let world: ExecutionWorld
  let server: RpcServer
  let told: RpcServer
  let forked: string
  before(async () => {
    const rpc = { ...DEFAULT_EXECUTION_OPTIONS.rpc, maxUnindexedLogRangeBlocks: 3, maxLogResults: 0, maxFilterTerms: 5 }
    const pool = { ...DEFAULT_EXECUTION_OPTIONS.pool, maxPerAccount: 2, minTipWei: 1n }
    const times = forksAtGenesis('karst')
    assert.equal(createForkSchedule({ times }).forkAt(0 as never), 'karst')
    world = await openRpcWorld({ alloc: ALLOC, forks: times, gasLimit: 10_000_000n, options: { rpc, pool } })
    const to = account(world, 9).address
    const send = (tx: { raw: Uint8Array }) => world.call('eth_sendRawTransaction', bytesToHex(tx.raw))
    await send(world.transfer(0, to, 1n))
    const first = await world.mine({ transactions: [hexToBytes(logged())] })
    forked = (await world.mine({ parent: world.genesis.hash, prevRandao: TOPIC, setHead: false })).hash
    await world.engine.forkchoiceUpdated({ head: first.hash, ...NO_LABELS }, null)
    for (let i = 0; i < 3; i++) await world.mine()
    await send(world.transfer(1, to, 1n, { nonce: 0n }))
    await send(world.transfer(2, to, 1n, { nonce: 0n }))
    await send(world.transfer(2, to, 1n, { nonce: 1n }))
    await world.call('eth_sendRawTransaction', signed('busy', {}))
    server = await serveMethods(world.node.methods)
    told = await serveMethods({
      test_reason: ([reason]) => Promise.reject(rejectionError({ reason: reason as PoolRejection, detail: 'have 1, want 2' })),
      test_error: ([name]) => Promise.reject(rpcError(name as RpcErrorName, ': 1')),
    })
  })
  after(async () => {
    await server.stop()
    await told.stop()
    await world.stop()
  })

  function signed(name: string, changes: Partial<Record<string, unknown>>): string {
    const tx = {
      type: 2,
      chainId: world.chainId,
      nonce: 0n,
      gasLimit: 21_000n,
      to: hexToBytes(LOGGER),
      valueWei: 0n,
      data: new Uint8Array(0),
      accessList: [],
      maxPriorityFeePerGasWei: GWEI,
      maxFeePerGasWei: 5n * GWEI,
      ...changes,
    } as unknown as UnsignedTransaction
    return bytesToHex(encodeSignedTransaction(tx, crypto.sign(signingDigest(tx), key(name))).raw)
  }
  const ordinary = (index: number, changes: Partial<Record<string, unknown>>): string => {
    const tx = {
      type: 2,
      chainId: world.chainId,
      nonce: 0n,
      gasLimit: 21_000n,
      to: hexToBytes(account(world, 9).address),
      valueWei: 0n,
      data: new Uint8Array(0),
      accessList: [],
      maxPriorityFeePerGasWei: GWEI,
      maxFeePerGasWei: 5n * GWEI,
      ...changes,
    } as unknown as UnsignedTransaction
    return bytesToHex(world.sign(index, tx).raw)
  }
  const logged = () => ordinary(8, { to: hexToBytes(LOGGER), data: hexToBytes(TOPIC), gasLimit: 60_000n })

  const send = (raw: string, viemClass: ErrorClass = viem.InvalidInputRpcError, ethers = UNKNOWN): Case => ({
    method: 'eth_sendRawTransaction',
    params: [raw],
    viem: viemClass,
    ethers,
  })
  const toldReason = (reason: PoolRejection, viemClass: ErrorClass = viem.InvalidInputRpcError): Case => ({
    method: 'test_reason',
    params: [reason],
    viem: viemClass,
    ethers: UNKNOWN,
  })

  const rejections: Readonly<Record<PoolRejection, () => Case>> = {
    'type-not-supported': () => send('0x05c0'),
    'chain-id-mismatch': () => send(ordinary(3, { chainId: 7n })),
    'nonce-too-low': () => send(ordinary(0, {}), viem.NonceTooLowError, 'NONCE_EXPIRED'),
    'nonce-too-high': () => toldReason('nonce-too-high', viem.NonceTooHighError),
    'nonce-max': () => send(signed('last nonce', { nonce: (1n << 64n) - 1n }), viem.NonceMaxValueError),
    'sender-not-eoa': () => send(signed('contract', {})),
    'tip-above-fee-cap': () => send(ordinary(3, { maxPriorityFeePerGasWei: 6n * GWEI }), viem.TipAboveFeeCapError),
    'fee-cap-below-base-fee': () => ({
      method: 'eth_call',
      params: [{ from: account(world, 3).address, to: LOGGER, maxFeePerGas: '0x1' }],
      viem: viem.FeeCapTooLowError,
      ethers: 'CALL_EXCEPTION',
    }),
    'insufficient-funds': () => send(signed('poor', {}), viem.InsufficientFundsError, 'INSUFFICIENT_FUNDS'),
    'intrinsic-gas': () => send(ordinary(3, { gasLimit: 20_000n }), viem.IntrinsicGasTooLowError),
    'floor-data-gas': () => send(ordinary(3, { data: new Uint8Array(1_000).fill(1), gasLimit: 40_000n })),
    'tx-gas-cap': () => send(ordinary(3, { gasLimit: 16_777_217n })),
    'block-gas-limit': () => send(ordinary(3, { gasLimit: 10_000_001n })),
    'init-code-too-large': () => send(ordinary(3, { to: null, data: new Uint8Array(49_153), gasLimit: 5_000_000n })),
    'blob-gas-limit': () => toldReason('blob-gas-limit'),
    'blob-fee-cap-below-base-fee': () => toldReason('blob-fee-cap-below-base-fee'),
    'blob-count': () => toldReason('blob-count'),
    'blob-hash-version': () => toldReason('blob-hash-version'),
    'empty-authorization-list': () => send(ordinary(3, { type: 4, authorizationList: [], gasLimit: 60_000n })),
    'da-footprint-limit': () => toldReason('da-footprint-limit'),
    'already-known': () => send(bytesToHex(world.transfer(1, account(world, 9).address, 1n, { nonce: 0n }).raw), viem.NonceTooLowError),
    'replacement-underpriced': () => send(ordinary(1, {}), viem.InvalidInputRpcError, 'REPLACEMENT_UNDERPRICED'),
    underpriced: () => send(ordinary(3, { maxPriorityFeePerGasWei: 0n })),
    'pool-full': () => toldReason('pool-full'),
    'account-limit': () => send(ordinary(2, { nonce: 2n })),
    oversized: () => send(ordinary(3, { data: new Uint8Array(129 * 1024), gasLimit: 5_000_000n })),
    deposit: () => send(bytesToHex(world.node.chain.block(world.node.chain.label('unsafe').hash)?.transactions[0]?.raw as Uint8Array)),
    'invalid-sender': () => send(withHighS(ordinary(3, {}))),
    unprotected: () => send(legacyWithoutChain(), viem.InvalidInputRpcError, 'UNSUPPORTED_OPERATION'),
    'fee-above-cap': () => send(ordinary(3, { maxFeePerGasWei: 10n ** 15n })),
    'delegated-gap': () => send(signed('delegated', { nonce: 1n })),
    'delegated-in-flight': () => send(signed('busy', { nonce: 1n })),
    'authority-reserved': () => toldReason('authority-reserved'),
  }

  function legacyWithoutChain(): string {
    const data = new Uint8Array(0)
    const tx = {
      type: 0,
      chainId: null,
      nonce: 0n,
      gasLimit: 21_000n,
      gasPriceWei: 5n * GWEI,
      to: hexToBytes(LOGGER),
      valueWei: 0n,
      data,
    } as const
    return bytesToHex(world.sign(3, tx).raw)
  }
  function withHighS(raw: string): string {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const s = BigInt(`0x${raw.slice(-64)}`)
    return raw.slice(0, -64) + (order - s).toString(16).padStart(64, '0')
  }

  const ask = (method: string, params: readonly unknown[], viemClass: ErrorClass = viem.InvalidInputRpcError, ethers = UNKNOWN): Case => ({
    method,
    params,
    viem: viemClass,
    ethers,
  })
  const invalid = (method: string, ...params: readonly unknown[]) => ask(method, params, viem.InvalidParamsRpcError)
  const toldError = (name: RpcErrorName): Case => ask('test_error', [name])
  const someone = `0x${'11'.repeat(20)}`
  const condition = (conditional: unknown, viemClass: ErrorClass) =>
    ask('eth_sendRawTransactionConditional', [ordinary(3, {}), conditional], viemClass)

  const errors: Readonly<Record<RpcErrorName, () => Case>> = {
    missingArgument: () => invalid('eth_getBalance'),
    invalidArgument: () => invalid('eth_getBalance', '0x12'),
    tooManyArguments: () => invalid('eth_blockNumber', 'latest'),
    blockHashWithNumber: () => invalid('eth_getBalance', someone, { blockNumber: '0x1', blockHash: ZERO_HASH }),
    noBlockHashOrNumber: () => invalid('eth_getBalance', someone, {}),
    dataAndInput: () => ({ ...invalid('eth_call', { to: LOGGER, data: '0x01', input: '0x02' }), ethers: 'CALL_EXCEPTION' }),
    gasPriceAndMaxFee: () => ({ ...invalid('eth_call', { gasPrice: '0x1', maxFeePerGas: '0x1' }), ethers: 'CALL_EXCEPTION' }),
    blockRange: () => invalid('eth_getLogs', { fromBlock: '0x1', toBlock: '0x0' }),
    blockRangeBeyondHead: () => invalid('eth_getLogs', { fromBlock: '0x1', toBlock: '0x99' }),
    blockHashWithRange: () => invalid('eth_getLogs', { fromBlock: '0x1', blockHash: ZERO_HASH }),
    maxTopics: () => invalid('eth_getLogs', { topics: [null, null, null, null, null] }),
    maxFilterTerms: () => invalid('eth_getLogs', { address: Array.from({ length: 6 }, () => someone) }),
    headerNotFound: () => ask('eth_getBalance', [someone, '0x99']),
    headerForHashNotFound: () => ask('eth_getBalance', [someone, TOPIC]),
    notCanonical: () => ask('eth_getBalance', [someone, { blockHash: forked, requireCanonical: true }]),
    unknownBlock: () => ask('eth_getLogs', [{ blockHash: ZERO_HASH }]),
    blockNotFound: () => ask('debug_getRawBlock', ['0x99']),
    beyondHead: () => ask('eth_feeHistory', ['0x1', '0x99', []]),
    invalidPercentile: () => ask('eth_feeHistory', ['0x1', 'latest', [101]]),
    missingTrieNode: () => toldError('missingTrieNode'),
    stateSyncing: () => toldError('stateSyncing'),
    gasAllowance: () => ask('eth_estimateGas', [{ to: LOGGER, data: TOPIC, gas: '0x5600' }], viem.ExecutionRevertedError, 'CALL_EXCEPTION'),
    fundsForTransfer: () =>
      ask(
        'eth_estimateGas',
        [{ from: someone, to: LOGGER, value: '0x1', gasPrice: '0x77359400' }],
        viem.InsufficientFundsError,
        'INSUFFICIENT_FUNDS',
      ),
    shortTransaction: () => send('0x'),
    malformedTransaction: () => send('0x02c0'),
    conditionFailed: () => condition({ blockNumberMax: '0x0' }, viem.TransactionRejectedRpcError),
    conditionCost: () =>
      condition(
        { knownAccounts: { [L1_BLOCK]: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [slot(i), slot(0)])) } },
        viem.LimitExceededRpcError,
      ),
    conditionRate: () => ({ ...toldError('conditionRate'), viem: viem.LimitExceededRpcError }),
    logRange: () => ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x4' }], viem.LimitExceededRpcError),
    logResults: () => ask('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x1' }], viem.LimitExceededRpcError),
    filterNotFound: () => ask('eth_getFilterChanges', ['0x1']),
    subscriptionNotFound: () => ask('eth_unsubscribe', ['0x1']),
    noNotifications: () => ask('eth_subscribe', ['newHeads'], viem.MethodNotFoundRpcError),
    noSuchSubscription: () => ({ ...ask('eth_subscribe', ['newHead'], viem.MethodNotFoundRpcError), over: 'ws' }),
    transactionNotFound: () => ask('debug_traceTransaction', [ZERO_HASH]),
    genesisNotTraceable: () => ask('debug_traceBlockByNumber', ['0x0']),
    traceTimeout: () => toldError('traceTimeout'),
  }

  async function askViem({ method, params, over }: Case, url: string): Promise<{ readonly error: viem.BaseError; readonly text: string }> {
    const transport =
      over === 'ws'
        ? viem.webSocket(server.wsUrl, { reconnect: false, keepAlive: false, retryCount: 0 })
        : viem.http(url, { retryCount: 0 })
    const client = viem.createPublicClient({ transport })
    try {
      const failed = await client.request({ method, params } as never).then(
        (result) => assert.fail(`${method} answered ${JSON.stringify(result)}`),
        (error: unknown) => error,
      )
      assert.ok(failed instanceof viem.BaseError)
      return { error: getTransactionError(failed as never, { account: null }) as viem.BaseError, text: failed.details }
    } finally {
      if (over === 'ws')
        await (client.transport as never as { getRpcClient(): Promise<{ close(): void }> }).getRpcClient().then((c) => c.close())
    }
  }
  async function askEthers({ method, params, over }: Case, url: string): Promise<string> {
    const chainId = Number(world.chainId)
    const provider =
      over === 'ws'
        ? new WebSocketProvider(server.wsUrl, chainId, { staticNetwork: true })
        : new JsonRpcProvider(url, chainId, { staticNetwork: true, batchMaxCount: 1 })
    try {
      return await provider.send(method, [...params]).then(
        () => 'no error',
        (error: { code: string }) => error.code,
      )
    } finally {
      await provider.destroy()
    }
  }
  async function check(wanted: Case, text: string): Promise<void> {
    const url = wanted.method.startsWith('test_') ? told.httpUrl : server.httpUrl
    const seen = await askViem(wanted, url)
    assert.ok(seen.text.replace(/^invalid argument \d: (?=cannot|must)/, '').startsWith(text), `got "${seen.text}", expected "${text}"`)
    const found = seen.error.walk((error) => error instanceof wanted.viem)
    assert.ok(found !== null, `viem: got ${seen.error.name} of ${seen.error.cause}, expected ${wanted.viem.name}`)
    assert.equal(await askEthers(wanted, url), wanted.ethers)
  }

  for (const [reason, text] of Object.entries(REJECTION_TEXTS)) {
    it(`report a rejected transaction: ${reason}`, () => check(rejections[reason as PoolRejection](), text))
  }
  for (const [name, [, text]] of Object.entries(RPC_ERRORS)) {
    it(`${name}: ${text}`, () => check(errors[name as RpcErrorName](), text))
  }

  it('report a revert with and without data', async () => {
    for (const method of ['eth_call', 'eth_estimateGas']) {
      for (const data of ['0x', '0x12345678']) {
        await check(ask(method, [{ to: ECHO_REVERT, data }], viem.ExecutionRevertedError, 'CALL_EXCEPTION'), 'execution reverted')
      }
    }
  })

  it('report an unknown method', () =>
    check(ask('foo_bar', [], viem.MethodNotFoundRpcError, 'UNSUPPORTED_OPERATION'), 'the method foo_bar does not exist/is not available'))
})
