/**
 * Height, parent, and the source hash of the first transaction, which identifies L1 origin and sequence number. Two blocks of one
 * key at one place are double signing, as in contracts/solidity/staking/SignedBlock.sol.
 */
import { type Hash, type PayloadEnvelope, toHash } from '@keelson/primitives'

export interface BlockPlace {
  readonly number: number
  readonly parentHash: Hash
  readonly sourceHash: Hash
}

const DEPOSIT = 0x7e
const BYTES_32 = 0xa0
const SHORTEST_LIST = 0xf8
const LONGEST_LIST = 0xfb

/** Returns null for a block that does not start with a deposit. Never throws. */
export function blockPlaceOf({ payload }: PayloadEnvelope): BlockPlace | null {
  const first = payload.transactions[0]
  const list = first?.[1]
  if (first === undefined || list === undefined || first[0] !== DEPOSIT || list < SHORTEST_LIST || list > LONGEST_LIST) return null
  // the first byte of the list encodes how many length bytes follow it
  const source = 2 + (list - 0xf7)
  if (first[source] !== BYTES_32 || first.length < source + 33) return null
  return { number: payload.blockNumber, parentHash: payload.parentHash, sourceHash: toHash(first.slice(source + 1, source + 33)) }
}
