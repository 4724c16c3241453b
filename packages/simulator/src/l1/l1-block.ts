/** Headers, roots and hashes are real. The state root is not, as nobody proves against it. */
import { type BlockResult, expectedExcessBlobGas, type HeaderSkeleton } from '@keelson/evm'
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
import { L1_RULES } from './l1-engine.ts'
import type { L1State } from './l1-state.ts'

export interface L1Block {
  readonly hash: Hash
  readonly header: Header
  readonly transactions: readonly SignedTransaction[]
  readonly receipts: readonly Receipt[]
  readonly state: L1State
}

export interface L1BlockPlan {
  readonly timestampSec: number
  readonly baseFeeWei: bigint
  /** Distinguishes branches. */
  readonly branch: number
}

export interface L1BlockContent {
  readonly transactions: readonly SignedTransaction[]
  readonly result: Pick<BlockResult, 'receipts' | 'gasUsed' | 'logsBloom' | 'blobGasUsed'>
  readonly state: L1State
}

const GAS_LIMIT = 60_000_000n
export const NO_RESULT: L1BlockContent['result'] = { receipts: [], gasUsed: 0n, logsBloom: new Uint8Array(256), blobGasUsed: 0n }

/** What execution must know before. */
export function planL1Block(parent: L1Block | null, { timestampSec, baseFeeWei, branch }: L1BlockPlan): HeaderSkeleton {
  const number = parent === null ? 0 : parent.header.number + 1
  const mix = (salt: number) => toHash(keccak256(concatBytes(bigintToBytes(BigInt(number), 8), Uint8Array.of(branch & 0xff, salt))))
  return {
    parentHash: parent?.hash ?? ZERO_HASH,
    number,
    timestampSec,
    gasLimit: GAS_LIMIT,
    baseFeeWei,
    feeRecipient: ZERO_ADDRESS,
    mixHash: mix(0),
    difficulty: 0n,
    parentBeaconBlockRoot: mix(1),
    excessBlobGas:
      parent === null || L1_RULES.blobParameters === null ? 0n : expectedExcessBlobGas(parent.header, L1_RULES.blobParameters, false),
  }
}

export function sealL1Block(skeleton: HeaderSkeleton, branch: number, { transactions, result, state }: L1BlockContent): L1Block {
  const header: Header = {
    ...skeleton,
    ommersHash: EMPTY_OMMERS_HASH,
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: orderedListRoot(transactions.map(({ raw }) => raw)),
    receiptsRoot: orderedListRoot(result.receipts.map(encodeReceipt)),
    logsBloom: result.logsBloom,
    gasUsed: result.gasUsed,
    extraData: bigintToBytes(BigInt(branch), 4),
    nonce: new Uint8Array(8),
    withdrawalsRoot: EMPTY_TRIE_ROOT,
    blobGasUsed: result.blobGasUsed,
    requestsHash: EMPTY_REQUESTS_HASH,
    blockAccessListHash: null,
    slotNumber: null,
  }
  return { hash: hashHeader(header), header, transactions, receipts: result.receipts, state }
}
