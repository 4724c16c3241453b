/** Requests of each method that takes parameters; together they have every field that the parameters may have. */
import type { Address, Hash } from '@keelson/primitives'

export interface ExampleFacts {
  readonly sender: Address
  readonly other: Address
  readonly contract: Address
  readonly blockHash: Hash
  readonly blockNumber: string
  readonly txHash: Hash
  readonly filter: string
  readonly blockFilter: string
  readonly rawTransaction: string
}

const WORD = `0x${'01'.repeat(32)}`
const ONE = '0x1'

export type Example = readonly [method: string, params: readonly unknown[]]

export function exampleRequests(facts: ExampleFacts): readonly Example[] {
  return [...Object.entries(usualRequests(facts)), ...rarerRequests(facts)]
}

function rarerRequests({ sender, other, contract, blockHash }: ExampleFacts): readonly Example[] {
  const authorization = { chainId: ONE, address: other, nonce: '0x0', yParity: '0x0', r: ONE, s: ONE }
  const call = { from: sender, to: contract, input: WORD }
  const withdrawals = [{ index: '0x0', validatorIndex: '0x0', address: other, amount: '0x0' }]
  const older = { number: '0x9', coinbase: other, random: WORD, baseFee: ONE, difficulty: ONE }
  return [
    ...['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'debug_traceCall'].flatMap((method): Example[] => [
      [method, [{ ...call, gasPrice: ONE }, { blockNumber: ONE }]],
      [method, [{ ...call, authorizationList: [authorization] }, blockHash]],
      [method, [{ ...call, blobVersionedHashes: [`0x01${'00'.repeat(31)}`], maxFeePerBlobGas: ONE }]],
    ]),
    ['eth_call', [call, 'latest', { '0x0000000000000000000000000000000000000002': { movePrecompileToAddress: other } }, older]],
    ['eth_simulateV1', [{ blockStateCalls: [{ blockOverrides: { withdrawals, beaconRoot: WORD }, calls: [call] }] }, 'latest']],
    ['eth_getLogs', [{ blockHash, address: contract, topics: [WORD] }]],
    ['eth_newFilter', [{ address: contract, topics: [WORD] }]],
    [
      'debug_traceCall',
      [call, 'latest', { enableMemory: true, disableStack: true, disableStorage: true, enableReturnData: true, limit: 5 }],
    ],
    [
      'debug_traceCall',
      [call, 'latest', { tracer: 'prestateTracer', tracerConfig: { diffMode: true, disableCode: true, includeEmpty: false } }],
    ],
    [
      'debug_traceCall',
      [call, 'latest', { tracer: 'flatCallTracer', tracerConfig: { includePrecompiles: true, convertParityErrors: true } }],
    ],
    ['debug_traceCall', [call, 'latest', { tracer: 'muxTracer', tracerConfig: { callTracer: { withLog: true }, '4byteTracer': {} } }]],
  ]
}

function usualRequests(facts: ExampleFacts): Readonly<Record<string, readonly unknown[]>> {
  const { sender, other, contract, blockHash, blockNumber, txHash } = facts
  const at = { blockHash, requireCanonical: true }
  const call = {
    from: sender,
    to: contract,
    gas: '0xc350',
    maxFeePerGas: '0x12a05f200',
    maxPriorityFeePerGas: ONE,
    value: '0x0',
    nonce: ONE,
    input: WORD,
    data: WORD,
    accessList: [{ address: other, storageKeys: [WORD] }],
  }
  const stateOverrides = {
    [other]: { balance: ONE, nonce: ONE, code: '0x5f', stateDiff: { [WORD]: WORD } },
    [sender]: { state: { [WORD]: WORD } },
  }
  const blockOverrides = {
    number: '0x9',
    time: '0x6fffffff',
    gasLimit: '0x1c9c380',
    feeRecipient: other,
    prevRandao: WORD,
    baseFeePerGas: ONE,
    blobBaseFee: ONE,
  }
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: [contract], topics: [[WORD, null], null, WORD] }
  const trace = { tracer: 'callTracer', timeout: '5s', tracerConfig: { withLog: true, onlyTopCall: false } }
  return {
    eth_call: [call, at, stateOverrides, blockOverrides],
    eth_estimateGas: [call, at, stateOverrides, blockOverrides],
    eth_createAccessList: [call, at, stateOverrides, blockOverrides],
    eth_feeHistory: ['0x2', 'latest', [10, 50]],
    eth_getBalance: [sender, at],
    eth_getBlockByHash: [blockHash, true],
    eth_getBlockByNumber: [blockNumber, true],
    eth_getBlockReceipts: [at],
    eth_getBlockTransactionCountByHash: [blockHash],
    eth_getBlockTransactionCountByNumber: [blockNumber],
    eth_getCode: [contract, at],
    eth_getFilterChanges: [facts.blockFilter],
    eth_getFilterLogs: [facts.filter],
    eth_getHeaderByHash: [blockHash],
    eth_getHeaderByNumber: [blockNumber],
    eth_getLogs: [filter],
    eth_getProof: [contract, ['0x0', WORD], at],
    eth_getRawTransactionByBlockHashAndIndex: [blockHash, '0x0'],
    eth_getRawTransactionByBlockNumberAndIndex: [blockNumber, '0x0'],
    eth_getRawTransactionByHash: [txHash],
    eth_getStorageAt: [contract, '0x0', at],
    eth_getStorageValues: [{ [contract]: ['0x0', WORD] }, at],
    eth_getTransactionByBlockHashAndIndex: [blockHash, '0x0'],
    eth_getTransactionByBlockNumberAndIndex: [blockNumber, '0x0'],
    eth_getTransactionByHash: [txHash],
    eth_getTransactionCount: [sender, at],
    eth_getTransactionReceipt: [txHash],
    eth_getUncleByBlockHashAndIndex: [blockHash, '0x0'],
    eth_getUncleByBlockNumberAndIndex: [blockNumber, '0x0'],
    eth_getUncleCountByBlockHash: [blockHash],
    eth_getUncleCountByBlockNumber: [blockNumber],
    eth_newFilter: [filter],
    eth_newPendingTransactionFilter: [true],
    eth_sendRawTransaction: [facts.rawTransaction],
    eth_sendRawTransactionConditional: [
      facts.rawTransaction,
      {
        knownAccounts: { [contract]: { [WORD]: WORD }, [other]: WORD },
        blockNumberMin: '0x0',
        blockNumberMax: '0xffff',
        timestampMin: '0x0',
        timestampMax: '0xffffffff',
      },
    ],
    eth_simulateV1: [
      {
        blockStateCalls: [{ blockOverrides, stateOverrides, calls: [call] }],
        traceTransfers: true,
        validation: false,
        returnFullTransactions: true,
      },
      at,
    ],
    eth_uninstallFilter: [facts.filter],
    web3_sha3: ['0x00'],
    txpool_contentFrom: [sender],
    debug_getRawBlock: [blockNumber],
    debug_getRawHeader: [blockNumber],
    debug_getRawReceipts: [blockNumber],
    debug_getRawTransaction: [txHash],
    debug_storageRangeAt: [blockHash, 0, contract, WORD, 2],
    debug_traceBlockByHash: [blockHash, trace],
    debug_traceBlockByNumber: [blockNumber, trace],
    debug_traceCall: [call, at, { ...trace, stateOverrides, blockOverrides, txIndex: '0x0' }],
    debug_traceTransaction: [txHash, trace],
    trace_block: [blockNumber],
    trace_call: [call, ['trace', 'stateDiff'], at],
    trace_filter: [{ fromBlock: '0x0', toBlock: 'latest', fromAddress: [sender], toAddress: [other], after: 0, count: 1, mode: 'union' }],
    trace_get: [txHash, ['0x0']],
    trace_replayBlockTransactions: [blockNumber, ['trace']],
    trace_replayTransaction: [txHash, ['trace', 'stateDiff']],
    trace_transaction: [txHash],
    ots_getBlockDetails: [blockNumber],
    ots_getBlockDetailsByHash: [blockHash],
    ots_getBlockTransactions: [blockNumber, 0, 5],
    ots_getContractCreator: [contract],
    ots_getInternalOperations: [txHash],
    ots_getTransactionBySenderAndNonce: [sender, 0],
    eth_getTransactionBySenderAndNonce: [sender, '0x0'],
    eth_fillTransaction: [{ from: sender, to: other, value: ONE }],
    ots_getTransactionError: [txHash],
    ots_hasCode: [contract, 'latest'],
    ots_searchTransactionsAfter: [sender, 0, 5],
    ots_searchTransactionsBefore: [sender, 0, 5],
    ots_traceTransaction: [txHash],
  }
}

export type Path = readonly (string | number)[]

/** Every place in a value: lists, objects and what they hold. */
export function placesIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  const inside = Object.entries(value).flatMap(([key, entry]) => placesIn(entry, [...at, Array.isArray(value) ? Number(key) : key]))
  return at.length === 0 ? inside : [at, ...inside]
}

/** `value` with another one at a place; undefined removes a field. */
export function replacedAt(value: unknown, [first, ...rest]: Path, by: unknown): unknown {
  if (first === undefined) return by
  if (Array.isArray(value)) return value.map((entry, i) => (i === first ? replacedAt(entry, rest, by) : entry))
  const changed = replacedAt((value as Record<string, unknown>)[first], rest, by)
  const { [first as string]: _, ...others } = value as Record<string, unknown>
  return changed === undefined ? others : { ...others, [first]: changed }
}
