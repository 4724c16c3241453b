/** Reads the refunds of a block. specs: protocol/lagoon/post-exec.md#block-level-structural-rules, sdm.md#validity-rules */
import { type NestedUint8Array, RLP } from '@ethereumjs/rlp'
import { bytesToBigInt } from '@ethereumjs/util'
import { invalidBlock } from '../errors.ts'
import { DEPOSIT_TYPE } from './deposit.ts'

export const POST_EXEC_TYPE = 0x7d
const SDM_VERSION = 1n

/** Gas by the position of the transaction that gets it back. Throws when the block is invalid. */
export function refundsIn(transactions: readonly Uint8Array[], blockNumber: bigint, isActive: boolean): ReadonlyMap<number, bigint> {
  const at = transactions.findIndex(([type]) => type === POST_EXEC_TYPE)
  if (at < 0) return new Map()
  if (!isActive) throw invalidBlock('a post-execution transaction before Lagoon')
  if (at !== transactions.length - 1) throw invalidBlock('a post-execution transaction is not the last of its block')
  const payload = list(RLP.decode((transactions[at] as Uint8Array).subarray(1)))
  const [version, number, entries, ...others] = payload
  if (integer(version) !== SDM_VERSION || others.length > 0) throw invalidBlock('a post-execution payload of an unknown form')
  if (integer(number) !== blockNumber) throw invalidBlock(`a post-execution payload for block ${integer(number)}`)
  const refunds = new Map<number, bigint>()
  let before = -1
  for (const entry of list(entries)) {
    const [index, gas, ...more] = list(entry)
    const position = Number(integer(index))
    const refunded = transactions[position]
    if (more.length > 0 || position <= before || integer(gas) === 0n) throw invalidBlock('a refund of an unknown form')
    if (refunded === undefined || refunded[0] === DEPOSIT_TYPE || position === at) throw invalidBlock(`a refund of transaction ${position}`)
    refunds.set(position, integer(gas))
    before = position
  }
  if (refunds.size === 0) throw invalidBlock('a post-execution payload without refunds')
  return refunds
}

type Item = Uint8Array | NestedUint8Array | undefined

function list(item: Item): NestedUint8Array {
  if (item === undefined || item instanceof Uint8Array) throw invalidBlock('a post-execution payload lacks a list')
  return item
}

function integer(item: Item): bigint {
  if (!(item instanceof Uint8Array) || item.length > 8 || item[0] === 0) throw invalidBlock('a post-execution payload lacks an integer')
  return bytesToBigInt(item)
}
