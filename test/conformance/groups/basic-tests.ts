import assert from 'node:assert/strict'
import { type EthFork, ethParameters, genesisHeader, l1ForkRules, loadGenesis } from '@keelson/chainspec'
import { nextDifficulty } from '@keelson/evm'
import {
  bytesToHex,
  createPureCrypto,
  decodeHeader,
  decodeSignedTransaction,
  EMPTY_OMMERS_HASH,
  encodeBlock,
  encodeSignedTransaction,
  hashHeader,
  hexToBytes,
  keccak256,
  type RlpInput,
  rlpDecode,
  rlpEncode,
  rlpList,
  signingDigest,
  TX_LEGACY,
  toHash,
  utf8ToBytes,
} from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { type EthereumTestFile, loadEthereumTests } from '../vectors/ethereum-tests.ts'

interface DifficultyTest {
  readonly parentTimestamp: string
  readonly parentDifficulty: string
  readonly currentTimestamp: string
  readonly currentBlockNumber: string
  readonly currentDifficulty: string
  readonly parentUncles?: string
}
interface KeyTest {
  readonly seed: string
  readonly key: string
  readonly addr: string
}
interface TransactionTest {
  readonly key: string
  readonly nonce: number
  readonly gasprice: number
  readonly startgas: number
  readonly to: string
  readonly value: number
  readonly data: string
  readonly unsigned: string
  readonly signed: string
}
interface GenesisHash {
  readonly genesis_rlp_hex: string
  readonly genesis_state_root: string
  readonly genesis_hash: string
}
interface GenesisBlock {
  readonly inputs: Readonly<Record<string, number>>
  readonly result: string
}
type Schedule = readonly (readonly [fromBlock: number, fork: EthFork])[]

const MAIN_NETWORK: Schedule = [
  [0, 'frontier'],
  [1_150_000, 'homestead'],
  [4_370_000, 'byzantium'],
]
const ROPSTEN: Schedule = [
  [0, 'homestead'],
  [1_700_000, 'byzantium'],
  [4_230_000, 'constantinople'],
]
const only = (fork: EthFork): Schedule => [[0, fork]]
const SCHEDULES: readonly (readonly [RegExp, Schedule])[] = [
  [/^difficulty(Custom)?MainNetwork|^difficulty$/i, MAIN_NETWORK],
  [/^difficultyRopsten/i, ROPSTEN],
  [
    /^difficultyMorden/i,
    [
      [0, 'frontier'],
      [494_000, 'homestead'],
    ],
  ],
  [/^difficulty(Frontier|Olimpic)/i, only('frontier')],
  [/^difficulty(Custom)?Homestead/i, only('homestead')],
  [/^difficultyByzantium/i, only('byzantium')],
  [/^difficultyConstantinople/i, only('constantinople')],
  // EIP-2384's bomb (Muir Glacier) applies until London.
  [/^difficultyEIP2384/i, only('berlin')],
]
const crypto = createPureCrypto()
const unprefixed = (hex: string) => hexToBytes(`0x${hex}`)

/** The files' timestamps exceed safe integers; only their difference matters. */
function judgeDifficulty(test: DifficultyTest, schedule: Schedule): void {
  const number = Number(test.currentBlockNumber)
  const fork = schedule.findLast(([from]) => number >= from)?.[1] as EthFork
  const ommersHash = test.parentUncles === undefined ? EMPTY_OMMERS_HASH : toHash(test.parentUncles)
  const parent = { difficulty: BigInt(test.parentDifficulty), timestampSec: 0, ommersHash }
  const timestampSec = Number(BigInt(test.currentTimestamp) - BigInt(test.parentTimestamp))
  assert.equal(nextDifficulty(parent, { number, timestampSec }, ethParameters(fork)), BigInt(test.currentDifficulty))
}

function judgeKey({ seed, key, addr }: KeyTest): void {
  assert.equal(bytesToHex(keccak256(utf8ToBytes(seed))), `0x${key}`)
  assert.equal(bytesToHex(crypto.addressOf(unprefixed(key))), `0x${addr}`)
}

function judgeTransaction(test: TransactionTest): void {
  const signed = decodeSignedTransaction(unprefixed(test.signed))
  const { signature } = signed
  const fields = {
    type: TX_LEGACY,
    chainId: null,
    nonce: BigInt(test.nonce),
    gasPriceWei: BigInt(test.gasprice),
    gasLimit: BigInt(test.startgas),
    to: test.to === '' ? null : unprefixed(test.to),
    valueWei: BigInt(test.value),
    data: unprefixed(test.data),
  } as const
  assert.equal(bytesToHex(encodeSignedTransaction(fields, signature).raw), `0x${test.signed}`)
  const list = rlpList(rlpDecode(signed.raw), 'transaction')
  assert.equal(bytesToHex(rlpEncode([...list.slice(0, 6), 0, 0, 0] as RlpInput)), `0x${test.unsigned}`)
  // Not recoverSender, which rejects the upper half of s that these tests use.
  const signer = crypto.recover(signingDigest(signed), signature)
  assert.equal(bytesToHex(signer ?? new Uint8Array(0)), bytesToHex(crypto.addressOf(unprefixed(test.key))))
}

function judgeGenesisHash(test: GenesisHash): void {
  const raw = rlpEncode(rlpList(rlpDecode(unprefixed(test.genesis_rlp_hex)), 'block')[0] as RlpInput)
  const header = decodeHeader(raw)
  assert.equal(header.stateRoot, `0x${test.genesis_state_root}`)
  assert.equal(hashHeader(header), `0x${test.genesis_hash}`)
}

function judgeGenesisBlock(test: GenesisBlock): void {
  const alloc = Object.fromEntries(Object.entries(test.inputs).map(([address, wei]) => [address, { balance: String(BigInt(wei)) }]))
  const genesis = loadGenesis({ gasLimit: '1000000', difficulty: String(2 ** 22), alloc })
  const header = genesisHeader(genesis, computeGenesisState(genesis.accounts).stateRoot, null, l1ForkRules('frontier'))
  const block = encodeBlock({ hash: hashHeader(header), header, transactions: [], withdrawals: null })
  assert.equal(bytesToHex(block), `0x${test.result}`)
}

function listCases<T>({ id, content }: EthereumTestFile, judge: (test: T) => void): ConformanceCase[] {
  const tests = Array.isArray(content) ? (content as readonly T[]) : [content as T]
  return tests.map((test, i) => ({ id: `${id}/${i}`, run: () => judge(test) }))
}

function difficultyCases({ id, content }: EthereumTestFile): ConformanceCase[] {
  const schedule = SCHEDULES.find(([name]) => name.test(id.slice(id.lastIndexOf('/') + 1)))?.[1]
  assert.ok(schedule !== undefined, 'no fork schedule is known for a file of this name')
  return Object.entries(content as Readonly<Record<string, DifficultyTest>>).map(([name, test]) => ({
    id: `${id}/${name}`,
    run: () => judgeDifficulty(test, schedule),
  }))
}

export const basicTests: ConformanceGroup = {
  name: 'basic-tests',
  under: ['ethereum-tests/'],
  load: (folder) => [
    ...loadEthereumTests(folder, { format: 'key-addresses' }, (file) => listCases(file, judgeKey)),
    ...loadEthereumTests(folder, { format: 'signed-transactions' }, (file) => listCases(file, judgeTransaction)),
    ...loadEthereumTests(folder, { format: 'genesis-blocks' }, (file) => listCases(file, judgeGenesisBlock)),
    ...loadEthereumTests(folder, { format: 'genesis-hash' }, (file) => listCases(file, judgeGenesisHash)),
    ...loadEthereumTests(folder, { format: 'difficulty' }, difficultyCases),
  ],
}
