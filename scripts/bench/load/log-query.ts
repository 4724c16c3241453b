/**
 * Time of eth_getLogs over a long range with few hits, on synthetic blocks in LevelDB.
 *   node --import=tsx scripts/bench/load/log-query.ts [--blocks N] [--hits N] [--transactions N]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type Address,
  type Block,
  bigintToBytes,
  EMPTY_OMMERS_HASH,
  EMPTY_TRIE_ROOT,
  encodeDeposit,
  encodeHeader,
  type Hash,
  type Header,
  hashHeader,
  hexToBytes,
  type Log,
  logsBloom,
  mergeBloom,
  TX_DEPOSIT,
  toAddress,
  toHash,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import { openLevelStore } from '@keelson/runtime'
import { openChainStore } from '../../../packages/execution/src/chain/chain-store.ts'
import { bodyKey, canonicalKey, headerKey, logsIndexedFromKey, receiptsKey } from '../../../packages/execution/src/chain/keys.ts'
import { encodeBody, encodeStoredReceipts, type StoredReceipt } from '../../../packages/execution/src/chain/records.ts'
import { DEFAULT_EXECUTION_OPTIONS } from '../../../packages/execution/src/options.ts'
import { queryLogs } from '../../../packages/execution/src/rpc/eth/log-query.ts'

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '100000' },
    hits: { type: 'string', default: '1000' },
    transactions: { type: 'string', default: '10' },
  },
})
const blockCount = Number(values.blocks)
const hits = Number(values.hits)
const perBlock = Number(values.transactions)
const ROUNDS = 5
const FORKCHOICE_EVERY = 500

const RARE: Address = toAddress(new Uint8Array(20).fill(0xaa))
const BUSY: Address = toAddress(new Uint8Array(20).fill(0xbb))
const RARE_TOPIC: Hash = toHash(new Uint8Array(32).fill(0xcc))
const BUSY_TOPIC: Hash = toHash(new Uint8Array(32).fill(0xdd))

function makeBlock(parent: Pick<Block, 'hash' | 'header'> | null, bloom: Uint8Array): Block {
  const number = parent === null ? 0 : parent.header.number + 1
  const header: Header = {
    parentHash: parent?.hash ?? ZERO_HASH,
    ommersHash: EMPTY_OMMERS_HASH,
    feeRecipient: ZERO_ADDRESS,
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: bloom,
    difficulty: 0n,
    number,
    gasLimit: 30_000_000n,
    gasUsed: 1_000_000n,
    timestampSec: 2 * number,
    extraData: new Uint8Array(9),
    mixHash: ZERO_HASH,
    nonce: new Uint8Array(8),
    baseFeeWei: 1_000n,
    withdrawalsRoot: EMPTY_TRIE_ROOT,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: ZERO_HASH,
    requestsHash: null,
    blockAccessListHash: null,
    slotNumber: null,
  }
  const transactions = Array.from({ length: number === 0 ? 0 : perBlock }, (_, i) =>
    encodeDeposit({
      type: TX_DEPOSIT,
      sourceHash: bigintToBytes(BigInt(number * 1_000 + i), 32),
      from: new Uint8Array(20),
      to: hexToBytes(BUSY),
      mintWei: 0n,
      valueWei: 0n,
      gasLimit: 100_000n,
      isSystemTx: false,
      data: new Uint8Array(68),
    }),
  )
  return { hash: hashHeader(header), header, transactions, withdrawals: [] }
}

function receiptsFor(logs: readonly Log[]): StoredReceipt[] {
  return logs.map((log) => ({
    receipt: {
      type: TX_DEPOSIT,
      outcome: { status: 1 },
      cumulativeGasUsed: 50_000n,
      logsBloom: logsBloom([log]),
      logs: [log],
      depositNonce: 1n,
      depositReceiptVersion: 1n,
    },
    sender: new Uint8Array(20),
    l1Fee: null,
  }))
}

const directory = mkdtempSync(join(tmpdir(), 'keelson-logs-'))
const store = await openLevelStore({ directory })
try {
  const genesis = makeBlock(null, new Uint8Array(256))
  await store.batch([
    { put: headerKey(genesis.hash), value: encodeHeader(genesis.header) },
    { put: bodyKey(genesis.hash), value: encodeBody(genesis) },
    { put: receiptsKey(genesis.hash), value: encodeStoredReceipts([]) },
    { put: canonicalKey(0), value: hexToBytes(genesis.hash) },
    { put: logsIndexedFromKey(), value: new Uint8Array(8) },
  ])
  const chain = openChainStore(store, { genesis, cachedBlocks: 2 * FORKCHOICE_EVERY })
  const everyHit = Math.floor(blockCount / hits)
  const data = new Uint8Array(32)
  let head = genesis
  const began = performance.now()
  for (let number = 1; number <= blockCount; number++) {
    const rare = number % everyHit === 0
    const logs = Array.from(
      { length: perBlock },
      (_, i): Log => (rare && i === 0 ? { address: RARE, topics: [RARE_TOPIC], data } : { address: BUSY, topics: [BUSY_TOPIC], data }),
    )
    const bloom = new Uint8Array(256)
    mergeBloom(bloom, logsBloom(logs))
    head = makeBlock(head, bloom)
    const staged = chain.stageBlock(head, receiptsFor(logs))
    await store.batch(staged.ops)
    staged.publish()
    if (number % FORKCHOICE_EVERY === 0 || number === blockCount) {
      await chain.setForkchoice({ head: head.hash, safe: ZERO_HASH, finalized: ZERO_HASH })
    }
  }
  console.log(`${blockCount} blocks of ${perBlock} transactions written in ${((performance.now() - began) / 1000).toFixed(1)} s`)

  const reopened = openChainStore(store, { genesis, cachedBlocks: DEFAULT_EXECUTION_OPTIONS.cachedBlocks })
  const options = { ...DEFAULT_EXECUTION_OPTIONS.rpc, maxLogRangeBlocks: blockCount, maxUnindexedLogRangeBlocks: blockCount }
  const range = { from: { kind: 'number', number: 1 }, to: { kind: 'number', number: blockCount } } as const
  const ask = async (what: string, addresses: readonly Address[], topics: readonly (readonly Hash[])[]) => {
    const times: number[] = []
    let count = 0
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now()
      count = (await queryLogs(reopened, { criteria: { addresses, topics }, range }, options)).length
      times.push(performance.now() - start)
    }
    const sorted = [...times].sort((a, b) => a - b)
    const shown = (ms: number | undefined) => `${(ms ?? 0).toFixed(0)} ms`
    console.log(`${what.padEnd(44)} ${String(count).padStart(6)} hits   first ${shown(times[0])}   median ${shown(sorted[ROUNDS >> 1])}`)
  }
  await ask('by address', [RARE], [])
  await ask('by address and first topic', [RARE], [[RARE_TOPIC]])
  await ask('busy address, topic without hits', [BUSY], [[RARE_TOPIC]])
  await ask('busy address, second topic without hits', [BUSY], [[BUSY_TOPIC], [RARE_TOPIC]])
  await ask('without address: every block filter is read', [], [[RARE_TOPIC]])
} finally {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
}
