/** Each public method's most expensive known request. */
import { bytesToHex, type Hash } from '@keelson/primitives'

export interface StrangerChain {
  readonly head: number
  readonly full: readonly { readonly hash: Hash; readonly number: number; readonly transactions: readonly Hash[] }[]
  readonly logs: { readonly hash: Hash; readonly number: number; readonly transaction: Hash }
  readonly token: string
  readonly holder: string
  freshTransaction(): string
}

export interface StrangerCase {
  readonly method: string
  readonly worst: string
  readonly bound: string
  params(repetition: number): readonly unknown[]
  readonly prepare?: readonly [method: string, params: readonly unknown[]]
  withPrepared?(prepared: unknown): readonly unknown[]
}

const LOOP = '0x00000000000000000000000000000000000ec004'
const hex = (value: number) => `0x${value.toString(16)}`
const addressAt = (i: number) => `0x${(i + 1).toString(16).padStart(40, '0')}`
const word = (i: number) => `0x${i.toString(16).padStart(64, '0')}`
const loop = { [LOOP]: { code: '0x5b5f56' } }
const THREAD = 'thread time charged, 5 ms per token'
const ANSWER = 'response charged, 64 KiB per token'
const CHEAP = 'one value'

export function strangerCases(chain: StrangerChain): readonly StrangerCase[] {
  let asked = 0
  const nextBlock = () => chain.full[asked++ % chain.full.length] as (typeof chain.full)[number]
  const head = hex(chain.head)
  const one = (method: string, worst: string, bound: string, params: (i: number) => readonly unknown[] = () => []): StrangerCase => ({
    method,
    worst,
    bound,
    params,
  })
  const account = ['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount'].map((method) =>
    one(method, 'an account that is not cached', CHEAP, (i) => [addressAt(10_000 + i), 'latest']),
  )
  const plain = [
    'eth_accounts',
    'eth_baseFee',
    'eth_blobBaseFee',
    'eth_blockNumber',
    'eth_capabilities',
    'eth_chainId',
    'eth_config',
    'eth_gasPrice',
    'eth_maxPriorityFeePerGas',
    'eth_newBlockFilter',
    'eth_newPendingTransactionFilter',
    'eth_syncing',
    'net_listening',
    'net_peerCount',
    'net_version',
    'web3_clientVersion',
    'rpc_modules',
  ].map((method) => one(method, 'any', CHEAP))
  const ofBlock = (suffix: string, worst: string, bound: string, more: readonly unknown[] = []) =>
    ['Hash', 'Number'].map((by) =>
      one(suffix.replace('*', by), worst, bound, () => [by === 'Hash' ? nextBlock().hash : hex(nextBlock().number), ...more]),
    )
  const counts = ['eth_getBlockTransactionCountBy', 'eth_getUncleCountByBlock'].flatMap((name) =>
    ['Hash', 'Number'].map((by) =>
      one(`${name}${by}`, 'a full block that is not cached', 'decoding one block', () => [
        by === 'Hash' ? nextBlock().hash : hex(nextBlock().number),
      ]),
    ),
  )
  const filter = { address: Array.from({ length: 999 }, (_, i) => addressAt(i)).concat(chain.token) }
  return [
    ...plain,
    ...account,
    ...counts,
    ...ofBlock('eth_getBlockBy*', 'a full block with its transactions', `5 transactions a token; ${ANSWER}`, [true]),
    ...ofBlock('eth_getHeaderBy*', 'a full block that is not cached', 'decoding one block'),
    ...ofBlock('eth_getUncleByBlock*AndIndex', 'a full block that is not cached', 'decoding one block', ['0x0']),
    ...ofBlock('eth_getTransactionByBlock*AndIndex', 'a full block that is not cached', 'decoding one block', ['0x1']),
    ...ofBlock('eth_getRawTransactionByBlock*AndIndex', 'a full block that is not cached', 'decoding one block', ['0x1']),
    ...['eth_getTransactionByHash', 'eth_getRawTransactionByHash', 'eth_getTransactionReceipt'].map((method) =>
      one(method, 'in a full block that is not cached', 'decoding one block', () => [nextBlock().transactions.at(-1)]),
    ),
    one('eth_getStorageAt', 'a slot that is not cached', CHEAP, (i) => [chain.token, word(i), 'latest']),
    one('web3_sha3', '512 KiB', 'body charged, 64 KiB per token', () => [`0x${'00'.repeat(512 * 1024 - 100)}`]),
    one('eth_call', 'an endless loop', `${THREAD}; 30 M gas, 5 s`, () => [{ to: LOOP }, 'latest', loop]),
    one('eth_estimateGas', 'an endless loop', `${THREAD}; 30 M gas, 5 s`, () => [{ to: LOOP }, 'latest', loop]),
    one('eth_createAccessList', 'an endless loop', `${THREAD}; 30 M gas, 5 s`, () => [{ to: LOOP }, 'latest', loop]),
    one('eth_simulateV1', '3,500 slots, then 255 blocks', `${THREAD}; 30 M gas, 5 s`, () => [
      {
        blockStateCalls: [
          {
            stateOverrides: {
              [addressAt(1)]: { stateDiff: Object.fromEntries(Array.from({ length: 3_500 }, (_, i) => [word(i), word(1)])) },
            },
          },
          { blockOverrides: { number: hex(chain.head + 250) } },
        ],
      },
      head,
    ]),
    one('eth_getLogs', '1,000 addresses over the whole chain', `${THREAD}; 10,000 logs`, () => [
      { ...filter, fromBlock: '0x0', toBlock: head },
    ]),
    one('eth_getProof', '1,024 slots', THREAD, () => [chain.token, Array.from({ length: 1_024 }, (_, i) => word(i)), 'latest']),
    one('eth_getStorageValues', '1,024 slots', THREAD, () => [
      { [chain.token]: Array.from({ length: 1_024 }, (_, i) => word(i)) },
      'latest',
    ]),
    one('eth_getBlockReceipts', 'a block of 8,001 logs', `${THREAD}; ${ANSWER}`, () => [hex(chain.logs.number)]),
    one('eth_feeHistory', '1,024 blocks, 100 percentiles', `${THREAD}; ${ANSWER}`, () => [
      '0x400',
      'latest',
      Array.from({ length: 100 }, (_, i) => i),
    ]),
    one('eth_sendRawTransaction', 'one that the pool accepts', 'pool size and price rules', () => [chain.freshTransaction()]),
    one('eth_sendRawTransactionSync', 'one that is too short', 'as eth_sendRawTransaction, and it waits', () => ['0x02', '0x1']),
    one('eth_newFilter', '1,000 addresses', '256 filters, 10,000 terms per client', () => [filter]),
    one('eth_uninstallFilter', 'any', CHEAP, () => ['0x1']),
    one('eth_subscribe', '1,000 addresses', '256 subscriptions, 10,000 terms per client', () => ['logs', filter]),
    one('eth_unsubscribe', 'any', CHEAP, () => ['0x1']),
    {
      ...one('eth_getFilterChanges', 'a filter of 1,000 addresses', 'blocks since the last poll; response charged'),
      prepare: ['eth_newFilter', [filter]],
      withPrepared: (id) => [id],
    },
    {
      ...one('eth_getFilterLogs', '1,000 addresses over the whole chain', `${THREAD}; 10,000 logs`),
      prepare: ['eth_newFilter', [{ ...filter, fromBlock: '0x0', toBlock: head }]],
      withPrepared: (id) => [id],
    },
  ]
}

export const STRANGER_BODIES: readonly { readonly name: string; readonly bound: string; readonly body: string }[] = [
  { name: '1 MB of empty objects', bound: '100,000 brackets, commas and colons', body: `[${'{},'.repeat(349_000)}0]` },
  {
    name: '33,000 objects in params',
    bound: '5,000 brackets, commas and colons per token',
    body: `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[${'{},'.repeat(33_000)}0]}`,
  },
]

export const LOG_COUNT = 8_001

export const LOG_BOMB = bytesToHex(
  Buffer.from(`61${LOG_COUNT.toString(16).padStart(4, '0')}5b5f5fa060019003806003576042${'5f5fa1'}00`, 'hex'),
)
