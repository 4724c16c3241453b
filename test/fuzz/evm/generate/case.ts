import { ETH_FORKS } from '@keelson/chainspec'
import { bytesToHex } from '@keelson/primitives'
import { CHAINS, type ChainName, rulesOf } from '../chains.ts'
import { type CaseAccount, type CaseTransaction, codeBytes, type EvmCase, SIGNERS } from '../evm-case.ts'
import type { Program } from '../program/program.ts'
import { Random } from '../random.ts'
import { createScope, hexOf, type Scope } from './scope.ts'
import { initCode, program } from './statements.ts'

export type ProgramSet = Omit<EvmCase, 'transactions'>

const CONTRACTS = ['c1', 'c2', 'c3', 'c4'].map((byte) => `0x${byte.repeat(20)}`)
const EMPTY = `0x${'e0'.repeat(20)}`
const FUNDED = `0x${'e1'.repeat(20)}`
const ABSENT = `0x${'e2'.repeat(20)}`
const DELEGATED = [`0x${'d1'.repeat(20)}`, `0x${'d2'.repeat(20)}`]
const ETHER = '1000000000000000000'
const STATEMENTS_PER_SET = 60

const ADDRESSES = [
  ...CONTRACTS,
  ...CONTRACTS,
  ...DELEGATED,
  EMPTY,
  FUNDED,
  ABSENT,
  ...SIGNERS.slice(0, 2).map(({ address }) => bytesToHex(address)),
]

/** Prefers new forks. */
function chooseChain(random: Random, chains: readonly ChainName[]): ChainName {
  return random.weighted(chains.map((chain) => [/osaka|prague|cancun|isthmus|jovian|karst|lagoon/.test(chain) ? 3 : 1, chain] as const))
}

export function generateProgramSet(seed: number, chains: readonly ChainName[] = CHAINS): ProgramSet {
  const random = new Random(seed, 1)
  const chain = chooseChain(random, chains)
  const scope = createScope(random, rulesOf(chain).ethFork, ADDRESSES, STATEMENTS_PER_SET)
  const accounts: CaseAccount[] = CONTRACTS.map((address, i) =>
    contract(scope, address, program(scope, i === 0 ? 14 : random.between(1, 9))),
  )
  for (const { address } of SIGNERS.slice(0, 3)) accounts.push(plain(bytesToHex(address), ETHER))
  accounts.push(plain(FUNDED, '1'))
  // Before EIP-161, empty accounts exist.
  if (!rulesOf(chain).clearsEmptyAccounts) accounts.push(plain(EMPTY, '0'))
  if (rulesOf(chain).setCodeTransactions) {
    accounts.push({ ...plain(DELEGATED[0] as string, '9'), nonce: '1', code: `0xef0100${CONTRACTS[1]?.slice(2)}` })
    const target = random.pick([DELEGATED[0] as string, ABSENT, `0x${'00'.repeat(19)}04`, DELEGATED[1] as string])
    accounts.push({ ...plain(DELEGATED[1] as string, '0'), nonce: '1', code: `0xef0100${target.slice(2)}` })
  }
  return { chain, env: environment(random), accounts }
}

function environment(random: Random) {
  return {
    number: String(random.pick([1, 100, 300])),
    timestamp: '1700000000',
    gasLimit: '1000000000',
    baseFee: '7',
    feeRecipient: random.chance(80) ? `0x${'fe'.repeat(20)}` : EMPTY,
    prevRandao: bytesToHex(random.bytes(32)),
    difficulty: '131072',
  }
}

const plain = (address: string, balance: string): CaseAccount => ({ address, balance, nonce: '0', code: '0x', storage: [] })

function contract({ random }: Scope, address: string, code: Program): CaseAccount {
  const storage = [0, 1, 2].filter(() => random.chance(60)).map((slot) => [hexOf(slot), hexOf(random.between(1, 2))] as const)
  return { address, balance: String(random.pick([0, 1, 1_000])), nonce: '1', code, storage }
}

const AMPLE_GAS = 600_000
const MAX_TRANSACTIONS = 4

/** `spent` is the gas use of the first block's transactions; limits are chosen near it. */
export function generateTransactions(set: ProgramSet, seed: number, variant: number, spent: readonly number[]): readonly CaseTransaction[] {
  const random = new Random(seed, variant + 2)
  const scope = createScope(random, rulesOf(set.chain).ethFork, ADDRESSES, 8)
  const count = variant === 0 ? 2 : random.between(1, MAX_TRANSACTIONS)
  return Array.from({ length: count }, () => transaction(scope, set, variant === 0 ? [] : spent))
}

function transaction(scope: Scope, set: ProgramSet, spent: readonly number[]): CaseTransaction {
  const { random, fork } = scope
  const since = (name: (typeof ETH_FORKS)[number]) => ETH_FORKS.indexOf(fork) >= ETH_FORKS.indexOf(name)
  const creates = random.chance(8)
  const to = creates
    ? null
    : random.weighted([
        [30, CONTRACTS[0] as string],
        [6, random.pick(CONTRACTS)],
        [3, random.pick(ADDRESSES)],
      ])
  const data = creates ? initCode(scope, 1) : calldata(random)
  const base = {
    sender: random.below(2),
    to,
    value: String(
      random.weighted([
        [12, 0],
        [4, 1],
        [1, 1_000_000],
      ]),
    ),
    data,
    gas: String(gasLimit(random, creates, codeBytes(data).length, spent)),
  }
  const accessList = Array.from({ length: random.below(3) }, () => ({
    address: random.pick(ADDRESSES),
    slots: Array.from({ length: random.below(3) }, (_, i) => hexOf(i)),
  }))
  if (!creates && rulesOf(set.chain).setCodeTransactions && random.chance(15)) {
    return { ...base, gas: String(Number(base.gas) + 60_000), accessList, authorizations: authorizations(random) }
  }
  return since('berlin') && random.chance(30) ? { ...base, gas: String(Number(base.gas) + 15_000), accessList } : base
}

function calldata(random: Random): string {
  const bytes = random.bytes(random.pick([0, 0, 1, 4, 31, 32, 33, 64, 100]))
  if (random.chance(50)) bytes.fill(0, 0, Math.min(bytes.length, 31))
  return bytesToHex(bytes)
}

const BASE_GAS = 21_000
const CREATE_GAS = 32_000
const GAS_PER_BYTE = 68

function gasLimit(random: Random, creates: boolean, dataBytes: number, spent: readonly number[]): number {
  const least = BASE_GAS + (creates ? CREATE_GAS : 0) + dataBytes * GAS_PER_BYTE
  const used = Math.max(least, random.pick(spent.length === 0 ? [AMPLE_GAS] : spent))
  return random.weighted<() => number>([
    [spent.length === 0 ? 100 : 11, () => least + AMPLE_GAS],
    [8, () => random.between(least, Math.max(least, used))],
    [4, () => Math.max(least, used - random.below(3_000))],
    [3, () => used + random.below(70)],
    [1, () => least + random.below(3_000)],
    [1, () => least + 2_000_000],
  ])()
}

function authorizations(random: Random) {
  return Array.from({ length: random.between(1, 3) }, () => ({
    signer: random.below(SIGNERS.length),
    chainId: random.pick(['0', '1', '1', '2']),
    address: random.pick([...ADDRESSES, `0x${'00'.repeat(20)}`, `0x${'00'.repeat(19)}04`]),
    nonce: String(
      random.weighted([
        [6, 0],
        [4, 1],
        [1, 2],
      ]),
    ),
  }))
}
