/** Transactions stay encoded, because the library cannot decode deposits. */
import { RLP } from '@ethereumjs/rlp'
import { invalidBlock } from './errors.ts'

export interface BlockBytes {
  /** RLP. */
  readonly header: Uint8Array
  readonly parentHash: Uint8Array
  /** Type byte and payload, or the RLP of a legacy transaction. */
  readonly transactions: readonly Uint8Array[]
}

const WITHDRAWALS_ROOT = 16

function decodeList(raw: Uint8Array): unknown {
  try {
    return RLP.decode(raw)
  } catch (error) {
    throw invalidBlock(`the block is not RLP: ${(error as Error).message}`)
  }
}

/** Throws `second-opinion/invalid-block`. */
export function readParentHash(raw: Uint8Array): Uint8Array {
  const [header] = decodeList(raw) as Uint8Array[][]
  return parentHashOf(header)
}

function parentHashOf(header: unknown): Uint8Array {
  const parentHash: unknown = Array.isArray(header) ? header[0] : null
  if (!(parentHash instanceof Uint8Array)) throw invalidBlock('the parent hash of the header is not a byte string')
  return parentHash
}

/** A block of an OP chain. Throws `second-opinion/invalid-block`. */
export function readBlock(raw: Uint8Array): BlockBytes {
  const parts = decodeList(raw)
  const [header, transactions, ommers, withdrawals] = parts as unknown as Uint8Array[][]
  if (!Array.isArray(header) || !Array.isArray(transactions) || !Array.isArray(ommers)) {
    throw invalidBlock('the block is not a list of header, transactions and ommers')
  }
  if (ommers.length > 0 || (withdrawals?.length ?? 0) > 0) throw invalidBlock('a block of an OP chain has no ommers and no withdrawals')
  // Since Shanghai, the header has a withdrawals root and the body a list of withdrawals.
  if (header.length > WITHDRAWALS_ROOT !== (withdrawals !== undefined)) throw invalidBlock('header and body disagree on withdrawals')
  return {
    header: RLP.encode(header),
    parentHash: parentHashOf(header),
    transactions: transactions.map((tx) => (tx instanceof Uint8Array ? tx : RLP.encode(tx))),
  }
}
