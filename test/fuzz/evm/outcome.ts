import {
  type AccountChange,
  BASE_FEE_VAULT,
  bytesToHex,
  decodeStateDiff,
  EMPTY_CODE_HASH,
  EMPTY_CODE_HASH_BYTES,
  keccak256,
  L1_FEE_VAULT,
  OPERATOR_FEE_VAULT,
  type StateDiff,
} from '@keelson/primitives'
import { type ChainName, rulesOf } from './chains.ts'
import { type CaseEnv, codeBytes, type EvmCase, wordBytes } from './evm-case.ts'
import { compareTraces } from './steps.ts'

/** Absent fields are not compared. */
export interface TransactionOutcome {
  readonly status: 'success' | 'revert' | 'halt' | 'failed' | 'rejected'
  readonly gasUsed: string
  readonly output?: string
  /** Before the cap, without authorizations. */
  readonly refund?: string
  readonly created?: string | null
  readonly logs: readonly string[]
  /** Addresses, and slots as `address/slot`. */
  readonly accessed?: readonly string[]
  /** As `showStep` writes them. */
  readonly trace?: readonly string[]
}

export interface Outcome {
  readonly transactions: readonly TransactionOutcome[]
  /** `nonce balance codeHash slot=value...` of each account that exists; null when it is not compared. */
  readonly state: ReadonlyMap<string, string> | null
  /** The engine does not distinguish absent and empty accounts. */
  readonly hidesEmptyAccounts?: boolean
  readonly failure?: string
  /** Block values that the engine chose itself. */
  readonly env?: CaseEnv
}

export interface StateAccount {
  readonly nonce: bigint
  readonly balanceWei: bigint
  readonly codeHash: string
  readonly slots: ReadonlyMap<string, string>
}

const ZERO_WORD = bytesToHex(new Uint8Array(32))

export function showAccount({ nonce, balanceWei, codeHash, slots }: StateAccount): string {
  const pairs = [...slots]
    .filter(([, value]) => value !== ZERO_WORD)
    .map(([slot, value]) => `${slot}=${value}`)
    .sort()
  return [`nonce=${nonce} balance=${balanceWei} code=${codeHash}`, ...pairs].join('\n    ')
}

const NOTHING = showAccount({ nonce: 0n, balanceWei: 0n, codeHash: EMPTY_CODE_HASH, slots: new Map() })

export function preState({ accounts }: EvmCase): Map<string, StateAccount> {
  return new Map(
    accounts.map(({ address, nonce, balance, code, storage }) => {
      const bytes = codeBytes(code)
      const codeHash = bytesToHex(bytes.length === 0 ? EMPTY_CODE_HASH_BYTES : keccak256(bytes))
      const slots = new Map(storage.map(([slot, value]) => [bytesToHex(wordBytes(slot)), bytesToHex(wordBytes(value))]))
      return [address, { nonce: BigInt(nonce), balanceWei: BigInt(balance), codeHash, slots }]
    }),
  )
}

export function stateAfter(pre: ReadonlyMap<string, StateAccount>, diff: StateDiff): Map<string, string> {
  const after = new Map(pre)
  for (const change of decodeStateDiff(diff).accounts) {
    const address = bytesToHex(change.address)
    if (change.deleted) after.delete(address)
    else after.set(address, changed(after.get(address), change))
  }
  return new Map([...after].map(([address, account]) => [address, showAccount(account)]))
}

function changed(before: StateAccount | undefined, change: AccountChange): StateAccount {
  const slots = new Map(change.storageReset ? [] : (before?.slots ?? []))
  for (const [slot, value] of change.slots) slots.set(bytesToHex(slot), bytesToHex(value))
  return { nonce: change.nonce, balanceWei: change.balanceWei, codeHash: bytesToHex(change.codeHash), slots }
}

const VAULTS: ReadonlySet<string> = new Set([BASE_FEE_VAULT, L1_FEE_VAULT, OPERATOR_FEE_VAULT])
const NONE: ReadonlySet<string> = new Set()

/** Only an OP transaction layer pays these accounts. */
export function feeVaults(chain: ChainName): ReadonlySet<string> {
  return rulesOf(chain).feeSink === 'vaults' ? VAULTS : NONE
}

const FAILURE = 'error'

/** Null when both agree. */
export function compareOutcomes(a: Outcome, b: Outcome, ignored: ReadonlySet<string> = NONE): string[] | null {
  if (a.failure !== b.failure) return [`${FAILURE} ${a.failure ?? 'none'}, ${b.failure ?? 'none'}`]
  const lines: string[] = []
  for (const [i, left] of a.transactions.entries()) {
    const right = b.transactions[i]
    if (right !== undefined) lines.push(...compareTransactions(left, right).map((line) => `transaction ${i}: ${line}`))
  }
  lines.push(...compareStates(a, b, ignored))
  return lines.length === 0 ? null : lines
}

/** Whether one engine gave no answer. */
export function isFailure([line]: readonly string[]): boolean {
  return line?.startsWith(`${FAILURE} `) === true
}

function compareStates(a: Outcome, b: Outcome, ignored: ReadonlySet<string>): string[] {
  if (a.state === null || b.state === null) return []
  const states = [a.state, b.state]
  const hides = a.hidesEmptyAccounts === true || b.hidesEmptyAccounts === true
  const lines: string[] = []
  for (const address of new Set([...a.state.keys(), ...b.state.keys()])) {
    const [left, right] = states.map((state) => (hides && state.get(address) === NOTHING ? undefined : state.get(address)))
    if (left !== right && !ignored.has(address)) lines.push(`${address}:\n  ${left ?? 'absent'}\n  ${right ?? 'absent'}`)
  }
  return lines
}

const FIELDS = ['gasUsed', 'output', 'refund', 'created'] as const

function compareTransactions(a: TransactionOutcome, b: TransactionOutcome): string[] {
  const lines = sameStatus(a.status, b.status) ? [] : [`status ${a.status}, ${b.status}`]
  for (const field of FIELDS) {
    if (a[field] !== undefined && b[field] !== undefined && a[field] !== b[field]) lines.push(`${field} ${a[field]}, ${b[field]}`)
  }
  if (a.accessed !== undefined && b.accessed !== undefined) lines.push(...compareAccesses(a.accessed, b.accessed))
  if (a.logs.join() !== b.logs.join()) lines.push(`logs [${a.logs.join(' ')}], [${b.logs.join(' ')}]`)
  if (a.trace !== undefined && b.trace !== undefined) lines.push(...compareTraces(a.trace, b.trace))
  return lines
}

/** A receipt does not tell a revert from a halt. */
function sameStatus(a: TransactionOutcome['status'], b: TransactionOutcome['status']): boolean {
  if (a === b) return true
  return (a === 'failed' && (b === 'revert' || b === 'halt')) || (b === 'failed' && (a === 'revert' || a === 'halt'))
}

/** Some engines list accesses that a frame cannot pay for; the frame reverts. */
function compareAccesses(a: readonly string[], b: readonly string[]): string[] {
  const [left, right] = [new Set(a), new Set(b)]
  const [more, fewer] = [a.filter((each) => !right.has(each)), b.filter((each) => !left.has(each))]
  return more.length === 0 || fewer.length === 0 ? [] : [`accessed ${more.join(' ')}, ${fewer.join(' ')}`]
}
