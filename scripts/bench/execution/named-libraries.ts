/**
 * Compares our codecs with @ethereumjs/tx and @ethereumjs/block: CPU time, medians of alternating rounds.
 *   node --import=tsx scripts/bench/execution/named-libraries.ts [--rounds N] [--transactions N]
 */
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { createBlockFromRLP } from '@ethereumjs/block'
import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { createTxFromRLP } from '@ethereumjs/tx'
import {
  bytesToHex,
  decodeBlock,
  decodeSignedTransaction,
  EMPTY_OMMERS_HASH,
  EMPTY_TRIE_ROOT,
  encodeBlock,
  encodeSignedTransaction,
  type Header,
  hashHeader,
  keccak256,
  signingDigest,
  TX_FEE_MARKET,
  utf8ToBytes,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import { createNativeCrypto } from '../../../packages/node/src/crypto/native-crypto.ts'
import { describeMachine, machineLine } from '../machine.ts'
import { median } from '../measure.ts'
import { formatTable } from '../table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    transactions: { type: 'string', default: '1000' },
  },
})
const rounds = Number(values.rounds)
const transactionCount = Number(values.transactions)
const CHAIN_ID = 901n

const common = (tuned: boolean) =>
  createCustomCommon({ chainId: Number(CHAIN_ID) }, Mainnet, {
    hardfork: Hardfork.Cancun,
    ...(tuned ? { customCrypto: { keccak256 } } : {}),
  })
const libraries = [common(true), common(false)] as const

async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

async function compare(works: readonly (() => unknown)[]): Promise<readonly number[]> {
  const times: number[][] = works.map(() => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [i, work] of works.entries()) {
      const ms = await cpuMs(work)
      if (round > 0) times[i]?.push(ms)
    }
  }
  return times.map(median)
}

function signedTransactions(): readonly Uint8Array[] {
  const crypto = createNativeCrypto()
  const key = new Uint8Array(32).fill(7)
  return Array.from({ length: transactionCount }, (_, i) => {
    const unsigned = {
      type: TX_FEE_MARKET,
      chainId: CHAIN_ID,
      nonce: BigInt(i),
      maxPriorityFeePerGasWei: 1_000_000n,
      maxFeePerGasWei: 30_000_000_000n,
      gasLimit: 60_000n,
      to: keccak256(utf8ToBytes(`token ${i}`)).subarray(0, 20),
      valueWei: 0n,
      data: new Uint8Array(68).fill(i % 256),
      accessList: [],
    } as const
    return encodeSignedTransaction(unsigned, crypto.sign(signingDigest(unsigned), key)).raw
  })
}

function blockOf(transactions: readonly Uint8Array[]): Uint8Array {
  const header: Header = {
    parentHash: ZERO_HASH,
    ommersHash: EMPTY_OMMERS_HASH,
    feeRecipient: ZERO_ADDRESS,
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number: 1,
    gasLimit: 60_000_000n,
    gasUsed: 0n,
    timestampSec: 1_700_000_000,
    extraData: new Uint8Array(0),
    mixHash: ZERO_HASH,
    nonce: new Uint8Array(8),
    baseFeeWei: 7n,
    withdrawalsRoot: EMPTY_TRIE_ROOT,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: ZERO_HASH,
    requestsHash: null,
    blockAccessListHash: null,
    slotNumber: null,
  }
  return encodeBlock({ hash: hashHeader(header), header, transactions: transactions.map(decodeSignedTransaction), withdrawals: [] })
}

async function compareDecoding(raws: readonly Uint8Array[]): Promise<readonly string[][]> {
  const hashes = raws.map((raw) => decodeSignedTransaction(raw).hash)
  const ours = () => {
    for (const [i, raw] of raws.entries()) assert.equal(decodeSignedTransaction(raw).hash, hashes[i])
  }
  const theirs = libraries.map((chain) => () => {
    for (const [i, raw] of raws.entries()) assert.equal(bytesToHex(createTxFromRLP(raw, { common: chain }).hash()), hashes[i])
  })
  const block = blockOf(raws)
  const { hash } = decodeBlock(block)
  const ourBlock = () => assert.equal(decodeBlock(block).hash, hash)
  const theirBlocks = libraries.map((chain) => () => assert.equal(bytesToHex(createBlockFromRLP(block, { common: chain }).hash()), hash))
  return [
    row('decoding and hashing a transaction, ours', await compare([ours, ...theirs]), 1_000 / raws.length),
    row(`decoding and hashing a block of ${raws.length} transactions, ms`, await compare([ourBlock, ...theirBlocks]), 1),
  ]
}

function row(what: string, [ours, ...theirs]: readonly number[], scale: number): string[] {
  const own = (ours as number) * scale
  return [what, own.toFixed(1), ...theirs.map((ms) => `${(ms * scale).toFixed(1)} (${((ms * scale) / own).toFixed(1)}x)`)]
}

console.log(machineLine(describeMachine()))
const rows = await compareDecoding(signedTransactions())
console.log(formatTable(['CPU time', 'Keelson', '@ethereumjs with our keccak', 'as it comes'], rows))
