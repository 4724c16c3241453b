/** Headers, roots and hashes are real. The state root is not, as nobody proves against it. */
import {
  bigintToBytes,
  concatBytes,
  EMPTY_OMMERS_HASH,
  EMPTY_REQUESTS_HASH,
  EMPTY_TRIE_ROOT,
  encodeReceipt,
  type Hash,
  type Header,
  hashHeader,
  keccak256,
  orderedListRoot,
  type Receipt,
  type SignedTransaction,
  toHash,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import type { L1State } from './l1-state.ts'

export interface L1Block {
  readonly hash: Hash
  readonly header: Header
  readonly transactions: readonly SignedTransaction[]
  readonly receipts: readonly Receipt[]
  readonly gasUsed: readonly bigint[]
  readonly state: L1State
}

export interface L1BlockContent {
  readonly transactions: readonly SignedTransaction[]
  readonly receipts: readonly Receipt[]
  readonly gasUsed: readonly bigint[]
  readonly state: L1State
  readonly timestampSec: number
  readonly baseFeeWei: bigint
  /** Distinguishes branches. */
  readonly branch: number
}

const GAS_LIMIT = 60_000_000n
const NO_BLOOM = new Uint8Array(256)

export function sealL1Block(parent: L1Block | null, content: L1BlockContent): L1Block {
  const { transactions, receipts, timestampSec, baseFeeWei, branch } = content
  const number = parent === null ? 0 : parent.header.number + 1
  const parentHash = parent?.hash ?? ZERO_HASH
  const mix = (salt: number) => toHash(keccak256(concatBytes(bigintToBytes(BigInt(number), 8), Uint8Array.of(branch & 0xff, salt))))
  const header: Header = {
    parentHash,
    ommersHash: EMPTY_OMMERS_HASH,
    feeRecipient: ZERO_ADDRESS,
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: orderedListRoot(transactions.map(({ raw }) => raw)),
    receiptsRoot: orderedListRoot(receipts.map(encodeReceipt)),
    logsBloom: NO_BLOOM,
    difficulty: 0n,
    number,
    gasLimit: GAS_LIMIT,
    gasUsed: receipts.at(-1)?.cumulativeGasUsed ?? 0n,
    timestampSec,
    extraData: bigintToBytes(BigInt(branch), 4),
    mixHash: mix(0),
    nonce: new Uint8Array(8),
    baseFeeWei,
    withdrawalsRoot: EMPTY_TRIE_ROOT,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: mix(1),
    requestsHash: EMPTY_REQUESTS_HASH,
    blockAccessListHash: null,
    slotNumber: null,
  }
  const { state, gasUsed } = content
  return { hash: hashHeader(header), header, transactions, receipts, gasUsed, state }
}
