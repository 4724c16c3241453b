/** Payload to block and back; the hash follows from the fields, so it is computed, never trusted. */
import type { Block } from '../block/block.ts'
import { encodeWithdrawal } from '../block/block.ts'
import { EMPTY_OMMERS_HASH, EMPTY_REQUESTS_HASH, type Header, hashHeader } from '../block/header.ts'
import { orderedListRoot } from '../block/list-root.ts'
import type { Hash } from '../hex.ts'
import { decodeTransaction } from '../tx/decode-transaction.ts'
import type { ExecutionPayload, PayloadEnvelope } from './engine-api.ts'

/**
 * The header a payload stands for. From Isthmus (`withdrawalsRoot` present) the withdrawals root is
 * the payload's own and the requests hash that of no requests; before, the root follows from the list.
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
  }
}

export function payloadHash(payload: ExecutionPayload, parentBeaconBlockRoot: Hash | null): Hash {
  return hashHeader(payloadHeader(payload, parentBeaconBlockRoot))
}

/** Decodes the transactions too. Throws CodecError; does not compare the stated hash, see `block.hash`. */
export function payloadToBlock(payload: ExecutionPayload, parentBeaconBlockRoot: Hash | null, requestsHash?: Hash): Block {
  const header = payloadHeader(payload, parentBeaconBlockRoot, requestsHash)
  return {
    hash: hashHeader(header),
    header,
    transactions: payload.transactions.map(decodeTransaction),
    withdrawals: payload.withdrawals,
  }
}

/** `isthmus`: the header's withdrawals root is a storage root and travels in the payload itself. */
export function blockToPayload(block: Block, isthmus: boolean): PayloadEnvelope {
  const { header } = block
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
