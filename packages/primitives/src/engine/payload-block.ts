/** The block hash is always computed, never trusted. */
import type { Block } from '../block/block.ts'
import { encodeWithdrawal } from '../block/block.ts'
import { EMPTY_OMMERS_HASH, EMPTY_REQUESTS_HASH, type Header, hashHeader } from '../block/header.ts'
import { orderedListRoot } from '../block/list-root.ts'
import { CodecError } from '../errors.ts'
import type { Hash } from '../hex.ts'
import { decodeTransaction } from '../tx/decode-transaction.ts'
import type { ExecutionPayload, PayloadEnvelope } from './engine-api.ts'

/**
 * From Isthmus the withdrawals root is the payload's own and the requests hash that of an empty list; before, the root follows
 * from the withdrawals. L2 headers have no Amsterdam fields.
 */
export function payloadHeader(payload: ExecutionPayload, parentBeaconBlockRoot: Hash | null, requestsHash?: Hash): Header {
  const isthmus = payload.withdrawalsRoot !== null
  return {
    parentHash: payload.parentHash,
    ommersHash: EMPTY_OMMERS_HASH,
    feeRecipient: payload.feeRecipient,
    stateRoot: payload.stateRoot,
    transactionsRoot: orderedListRoot(payload.transactions),
    receiptsRoot: payload.receiptsRoot,
    logsBloom: payload.logsBloom,
    difficulty: 0n,
    number: payload.blockNumber,
    gasLimit: payload.gasLimit,
    gasUsed: payload.gasUsed,
    timestampSec: payload.timestampSec,
    extraData: payload.extraData,
    mixHash: payload.prevRandao,
    nonce: new Uint8Array(8),
    baseFeeWei: payload.baseFeeWei,
    withdrawalsRoot:
      payload.withdrawalsRoot ?? (payload.withdrawals === null ? null : orderedListRoot(payload.withdrawals.map(encodeWithdrawal))),
    blobGasUsed: payload.blobGasUsed,
    excessBlobGas: payload.excessBlobGas,
    parentBeaconBlockRoot,
    requestsHash: requestsHash ?? (isthmus ? EMPTY_REQUESTS_HASH : null),
    blockAccessListHash: null,
    slotNumber: null,
  }
}

export function payloadHash(payload: ExecutionPayload, parentBeaconBlockRoot: Hash | null): Hash {
  return hashHeader(payloadHeader(payload, parentBeaconBlockRoot))
}

export type PayloadMismatch =
  /** The fields' actual hash; null when no header can have them. */
  | { readonly kind: 'block-hash-mismatch'; readonly actual: Hash | null }
  /** From Isthmus, the header does not cover the withdrawals, so the list must be empty. */
  | { readonly kind: 'withdrawals-not-empty'; readonly count: number | null }

/**
 * Returns null when the stated hash covers every field; otherwise nothing about the payload may be cached under that hash. specs:
 * protocol/isthmus/exec-engine.md
 */
export function payloadMismatch(
  payload: ExecutionPayload,
  parentBeaconBlockRoot: Hash | null,
  requestsHash?: Hash,
): PayloadMismatch | null {
  const uncovered = uncoveredWithdrawals(payload)
  if (uncovered !== null) return uncovered
  const actual = hashOf(payloadHeader(payload, parentBeaconBlockRoot, requestsHash))
  return actual === payload.blockHash ? null : { kind: 'block-hash-mismatch', actual }
}

function hashOf(header: Header): Hash | null {
  try {
    return hashHeader(header)
  } catch (error) {
    if (error instanceof CodecError) return null
    throw error
  }
}

/** The part of `payloadMismatch` that needs no hashing. */
export function uncoveredWithdrawals({ withdrawals, withdrawalsRoot }: ExecutionPayload): PayloadMismatch | null {
  if (withdrawalsRoot === null || withdrawals?.length === 0) return null
  return { kind: 'withdrawals-not-empty', count: withdrawals?.length ?? null }
}

export function describePayloadMismatch(mismatch: PayloadMismatch, payload: ExecutionPayload): string {
  if (mismatch.kind === 'block-hash-mismatch')
    return `blockhash mismatch, want ${payload.blockHash}, got ${mismatch.actual ?? 'fields that no header has'}`
  return `block ${payload.blockNumber}: withdrawals: expected an empty list, got ${mismatch.count ?? 'none'}`
}

/** Throws CodecError. Does not verify the stated hash. */
export function payloadToBlock(payload: ExecutionPayload, parentBeaconBlockRoot: Hash | null, requestsHash?: Hash): Block {
  const header = payloadHeader(payload, parentBeaconBlockRoot, requestsHash)
  return {
    hash: hashHeader(header),
    header,
    transactions: payload.transactions.map(decodeTransaction),
    withdrawals: payload.withdrawals,
  }
}

/** With `isthmus`, the payload carries the withdrawals root. Throws CodecError `codec/payload` for L1's Amsterdam fields. */
export function blockToPayload(block: Block, isthmus: boolean): PayloadEnvelope {
  const { header } = block
  if (header.blockAccessListHash !== null || header.slotNumber !== null) {
    throw new CodecError('codec/payload', `block ${header.number} has blockAccessListHash or slotNumber, which only blocks of L1 have`)
  }
  return {
    payload: {
      parentHash: header.parentHash,
      feeRecipient: header.feeRecipient,
      stateRoot: header.stateRoot,
      receiptsRoot: header.receiptsRoot,
      logsBloom: header.logsBloom,
      prevRandao: header.mixHash,
      blockNumber: header.number,
      gasLimit: header.gasLimit,
      gasUsed: header.gasUsed,
      timestampSec: header.timestampSec,
      extraData: header.extraData,
      baseFeeWei: header.baseFeeWei ?? 0n,
      blockHash: block.hash,
      transactions: block.transactions.map((tx) => tx.raw),
      withdrawals: block.withdrawals,
      blobGasUsed: header.blobGasUsed,
      excessBlobGas: header.excessBlobGas,
      withdrawalsRoot: isthmus ? header.withdrawalsRoot : null,
    },
    parentBeaconBlockRoot: header.parentBeaconBlockRoot,
  }
}
