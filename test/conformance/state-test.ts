import assert from 'node:assert/strict'
import { type EthFork, ethParameters, l1ForkRules } from '@keelson/chainspec'
import { createMemoryView, type OpenBlock, openBlock, type StateView } from '@keelson/evm'
import {
  bytesToHex,
  CodecError,
  decodeSignedTransaction,
  decodeStateDiff,
  type GenesisAccount,
  type Hash,
  hexToBytes,
  keccak256Hash,
  type Log,
  logFields,
  type Receipt,
  recoverSender,
  rlpEncode,
  type SignedTransaction,
  type StateDiff,
  toAddress,
  toHash,
  utf8ToBytes,
  ZERO_HASH,
} from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import { createNativeCrypto } from '../../packages/node/src/crypto/native-crypto.ts'
import { pairingCurves } from '../support/pairing-curves.ts'
import { syncKzg } from '../support/sync-kzg.ts'
import { createTestEngine } from '../support/test-engine.ts'
import { assertRefused, type Refusal, type StatedExceptions } from './refusals.ts'

interface PreAccount {
  readonly balance: string
  readonly code: string
  readonly nonce: string
  readonly storage: Readonly<Record<string, string>>
}
export interface PostState {
  readonly hash: string
  readonly logs: string
  readonly txbytes: string
  readonly expectException?: StatedExceptions
  readonly indexes: Readonly<Record<'data' | 'gas' | 'value', number>>
}
export interface StateTest {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly pre: Readonly<Record<string, PreAccount>>
  readonly post: Readonly<Record<string, readonly PostState[]>>
}

export const STATE_TEST_FORKS: Readonly<Record<string, EthFork>> = {
  Frontier: 'frontier',
  Homestead: 'homestead',
  EIP150: 'tangerine',
  EIP158: 'spurious',
  Byzantium: 'byzantium',
  Constantinople: 'constantinople',
  ConstantinopleFix: 'petersburg',
  Istanbul: 'istanbul',
  Berlin: 'berlin',
  London: 'london',
  Paris: 'paris',
  Merge: 'paris',
  Shanghai: 'shanghai',
  Cancun: 'cancun',
  Prague: 'prague',
  Osaka: 'osaka',
  // EIP-7892: only the parameters of blobs differ.
  BPO1: 'osaka',
  BPO2: 'osaka',
  BPO3: 'osaka',
  BPO4: 'osaka',
  BPO5: 'osaka',
}
const CHAIN_ID = 1n
const crypto = createNativeCrypto()
const engine = createTestEngine({ crypto, kzg: syncKzg, curves: pairingCurves })

const word = (hex: string) => hexToBytes(`0x${hex.slice(2).padStart(64, '0')}`)

export function readAccounts(pre: StateTest['pre']): GenesisAccount[] {
  return Object.entries(pre).map(([address, account]) => ({
    address: toAddress(address),
    balanceWei: BigInt(account.balance),
    nonce: BigInt(account.nonce),
    code: hexToBytes(account.code),
    storage: Object.entries(account.storage).map(([slot, value]) => [word(slot), word(value)] as const),
  }))
}

function decode(txbytes: string): SignedTransaction | Refusal {
  try {
    return decodeSignedTransaction(hexToBytes(txbytes))
  } catch (error) {
    if (error instanceof CodecError) return { reason: error.code, message: error.message }
    throw error
  }
}

function applyDiff(pre: readonly GenesisAccount[], diff: StateDiff): GenesisAccount[] {
  const accounts = new Map(pre.map((account) => [account.address, account]))
  const { accounts: changes, codes } = decodeStateDiff(diff)
  const codeOf = new Map(codes.map(([hash, code]) => [bytesToHex(hash), code]))
  for (const change of changes) {
    const address = toAddress(change.address)
    const before = accounts.get(address)
    if (change.deleted) {
      accounts.delete(address)
      continue
    }
    const slots = new Map((change.storageReset ? [] : (before?.storage ?? [])).map((pair) => [bytesToHex(pair[0]), pair]))
    for (const pair of change.slots) slots.set(bytesToHex(pair[0]), pair)
    const known = codeOf.get(bytesToHex(change.codeHash))
    const unchanged = before !== undefined && keccak256Hash(before.code) === bytesToHex(change.codeHash)
    const code = known ?? (unchanged ? before.code : new Uint8Array(0))
    accounts.set(address, { address, nonce: change.nonce, balanceWei: change.balanceWei, code, storage: [...slots.values()] })
  }
  return [...accounts.values()]
}

interface Outcome {
  readonly stateRoot: Hash
  readonly logsHash: Hash
  readonly rejected: Refusal | null
}

async function execute(test: StateTest, fork: EthFork, tx: SignedTransaction | Refusal): Promise<Outcome> {
  const pre = readAccounts(test.pre)
  const view: StateView = createMemoryView(pre.map((account) => ({ ...account, address: hexToBytes(account.address) })))
  const rules = l1ForkRules(fork)
  const { env } = test
  const number = (name: string) => BigInt(env[name] ?? 0)
  const block = openBlock({
    engine,
    view,
    header: {
      parentHash: toHash(env.previousHash ?? keccak256Hash(utf8ToBytes(String(number('currentNumber') - 1n)))),
      number: Number(number('currentNumber')),
      timestampSec: Number(number('currentTimestamp')),
      gasLimit: number('currentGasLimit'),
      baseFeeWei: rules.feeSink === 'miner' ? null : number('currentBaseFee'),
      feeRecipient: toAddress(env.currentCoinbase as string),
      mixHash: env.currentRandom === undefined ? ZERO_HASH : toHash(word(env.currentRandom)),
      difficulty: number('currentDifficulty'),
      parentBeaconBlockRoot: null,
      excessBlobGas: number('currentExcessBlobGas'),
    },
    rules,
    transition: null,
    chainId: CHAIN_ID,
    crypto,
    blockHash: (wanted) => keccak256Hash(utf8ToBytes(String(wanted))),
    rootOf: () => ZERO_HASH,
  })
  const done = 'reason' in tx ? tx : await apply(block, tx, fork)
  const logs: readonly Log[] = 'reason' in done ? [] : done.logs
  // A reward of zero touches the account.
  block.session.addBalance(block.session.env.feeRecipient, 0n)
  block.session.endTx()
  const post = computeGenesisState(applyDiff(pre, block.session.takeDiff()))
  return { stateRoot: post.stateRoot, logsHash: keccak256Hash(rlpEncode(logs.map(logFields))), rejected: 'reason' in done ? done : null }
}

async function apply(block: OpenBlock, tx: SignedTransaction, fork: EthFork): Promise<Receipt | Refusal> {
  const sender = recoverSender(tx, crypto, ethParameters(fork).lowSignatures)
  if (sender === null) return { reason: 'sender', message: 'a transaction without a sender' }
  const done = block.applyTransaction(tx, sender)
  return done.kind === 'rejected' ? done : done.receipt
}

export async function runStateTest(test: StateTest, fork: EthFork, post: PostState): Promise<void> {
  const outcome = await execute(test, fork, decode(post.txbytes))
  if (post.expectException === undefined) assert.equal(outcome.rejected, null, 'the transaction should be executed')
  else assertRefused(outcome.rejected, post.expectException, 'the transaction')
  assert.equal(outcome.stateRoot, post.hash, 'state root')
  assert.equal(outcome.logsHash, post.logs, 'hash of logs')
}
