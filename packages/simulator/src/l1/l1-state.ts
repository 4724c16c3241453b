/** Accounts and the output oracle after an L1 block. Blocks share what they did not change. */
import { OUTPUT_ORACLE_CALLS } from '@keelson/contracts'
import {
  type Address,
  bigintToBytes,
  bytesToBigint,
  bytesToHex,
  effectiveGasPriceWei,
  type Hash,
  hexToBytes,
  type SignedTransaction,
  toAddress,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'

export interface L1Account {
  readonly nonce: bigint
  readonly balanceWei: bigint
}

export interface Proposal {
  readonly outputRoot: Hash
  readonly l2BlockNumber: number
}

export interface L1State {
  readonly accounts: ReadonlyMap<Address, L1Account>
  readonly proposals: readonly Proposal[]
}

export interface OracleSettings {
  readonly address: Address
  readonly proposer: Address
  readonly submissionIntervalBlocks: number
}

export interface L1Execution {
  readonly state: L1State
  readonly succeeded: boolean
  readonly gasUsed: bigint
}

/** `proposeL2Output(bytes32,uint256,bytes32,uint256)` */
const PROPOSE = 0x9aaab648
const SELECTOR_BYTES = 4
const WORD_BYTES = 32
const TRANSACTION_GAS = 21_000n
/** EIP-7623, for bytes that are not zero. */
const BYTE_GAS = 40n
const ORACLE_GAS = 80_000n

export function accountOf(state: L1State, address: Address): L1Account {
  return state.accounts.get(address) ?? { nonce: 0n, balanceWei: 0n }
}

export function gasOf(to: Address | null, data: Uint8Array, oracle: OracleSettings): bigint {
  return TRANSACTION_GAS + BYTE_GAS * BigInt(data.length) + (to === oracle.address ? ORACLE_GAS : 0n)
}

/** `hashAt` gives the canonical hash below the block of the transaction. */
export function executeOnL1(
  state: L1State,
  { tx, sender, baseFeeWei }: { readonly tx: SignedTransaction; readonly sender: Address; readonly baseFeeWei: bigint },
  oracle: OracleSettings,
  hashAt: (number: number) => Hash | null,
): L1Execution {
  const to = tx.to === null ? null : toAddress(tx.to)
  const gasUsed = gasOf(to, tx.data, oracle)
  const account = accountOf(state, sender)
  const costWei = gasUsed * effectiveGasPriceWei(tx, baseFeeWei) + tx.valueWei
  const accounts = new Map(state.accounts)
  accounts.set(sender, { nonce: account.nonce + 1n, balanceWei: account.balanceWei - costWei })
  if (to !== null && tx.valueWei > 0n) {
    const receiver = accounts.get(to) ?? { nonce: 0n, balanceWei: 0n }
    accounts.set(to, { ...receiver, balanceWei: receiver.balanceWei + tx.valueWei })
  }
  if (to !== oracle.address) return { state: { ...state, accounts }, succeeded: true, gasUsed }
  const proposal = readProposal(state, tx.data, sender, oracle, hashAt)
  if (proposal === null) return { state: { ...state, accounts }, succeeded: false, gasUsed }
  return { state: { accounts, proposals: [...state.proposals, proposal] }, succeeded: true, gasUsed }
}

/** Null if the oracle reverts. specs: protocol/proposals.md#l2-output-oracle-smart-contract */
export function readProposal(
  state: L1State,
  data: Uint8Array,
  sender: Address,
  oracle: OracleSettings,
  hashAt: (number: number) => Hash | null,
): Proposal | null {
  const word = (index: number) => data.subarray(SELECTOR_BYTES + WORD_BYTES * index, SELECTOR_BYTES + WORD_BYTES * (index + 1))
  if (data.length !== SELECTOR_BYTES + 4 * WORD_BYTES || Number(bytesToBigint(data.subarray(0, SELECTOR_BYTES))) !== PROPOSE) return null
  const l2BlockNumber = Number(bytesToBigint(word(1)))
  const l1Hash = toHash(word(2))
  if (sender !== oracle.proposer || l2BlockNumber !== nextBlockNumber(state, oracle)) return null
  if (l1Hash !== ZERO_HASH && hashAt(Number(bytesToBigint(word(3)))) !== l1Hash) return null
  return { outputRoot: toHash(word(0)), l2BlockNumber }
}

/** Null if the oracle reverts. */
export function callOracle(state: L1State, data: Uint8Array, oracle: OracleSettings): Uint8Array | null {
  const call = bytesToHex(data)
  if (call === bytesToHex(OUTPUT_ORACLE_CALLS.nextBlockNumber)) return bigintToBytes(BigInt(nextBlockNumber(state, oracle)), WORD_BYTES)
  if (call === bytesToHex(OUTPUT_ORACLE_CALLS.proposer)) return bigintToBytes(bytesToBigint(hexToBytes(oracle.proposer)), WORD_BYTES)
  return null
}

function nextBlockNumber(state: L1State, oracle: OracleSettings): number {
  return (state.proposals.at(-1)?.l2BlockNumber ?? 0) + oracle.submissionIntervalBlocks
}
