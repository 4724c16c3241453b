/**
 * Conditions a transaction came with (eth_sendRawTransactionConditional): the block it may stand in, and storage that
 * must be as its sender knew it. Not part of the protocol: checked when it is submitted and again when a block takes it.
 */
import { type Address, bytesToHex, EMPTY_TRIE_ROOT, type Hash, hexToBytes } from '@keelson/primitives'

export interface KnownAccount {
  readonly address: Address
  /** The root of all its storage, or the values of some slots. */
  readonly storage: Hash | readonly { readonly slot: Hash; readonly value: Hash }[]
}

/** Bounds are inclusive; null is no bound. */
export interface TransactionConditional {
  readonly knownAccounts: readonly KnownAccount[]
  readonly blockNumberMin: bigint | null
  readonly blockNumberMax: bigint | null
  readonly timestampMin: bigint | null
  readonly timestampMax: bigint | null
}

/** What is looked up: one for an account, one for its root or each slot, one for each pair of bounds. */
export const MAX_CONDITIONAL_COST = 1_000

export function conditionalCost(conditional: TransactionConditional): number {
  const { knownAccounts, blockNumberMin, blockNumberMax, timestampMin, timestampMax } = conditional
  const bounds = (blockNumberMin !== null || blockNumberMax !== null ? 1 : 0) + (timestampMin !== null || timestampMax !== null ? 1 : 0)
  return knownAccounts.reduce((sum, { storage }) => sum + 1 + (typeof storage === 'string' ? 1 : storage.length), bounds)
}

/** Null when a block of this number and time fits, else why not. */
export function failedBlockBound(
  conditional: TransactionConditional,
  block: { readonly number: number; readonly timestampSec: number },
): string | null {
  const number = BigInt(block.number)
  const time = BigInt(block.timestampSec)
  const { blockNumberMin, blockNumberMax, timestampMin, timestampMax } = conditional
  if (blockNumberMin !== null && number < blockNumberMin)
    return `failed block number minimum constraint: block ${number}, minimum ${blockNumberMin}`
  if (blockNumberMax !== null && number > blockNumberMax)
    return `failed block number maximum constraint: block ${number}, maximum ${blockNumberMax}`
  if (timestampMin !== null && time < timestampMin) return `failed timestamp minimum constraint: time ${time}, minimum ${timestampMin}`
  if (timestampMax !== null && time > timestampMax) return `failed timestamp maximum constraint: time ${time}, maximum ${timestampMax}`
  return null
}

/** The part of a state that conditions look at. */
export interface ConditionalState {
  account(address: Uint8Array): { readonly storageRoot: Uint8Array } | null
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
}

/** Null when the state is as the sender knew it, else the first difference. */
export function failedStorageCondition(conditional: TransactionConditional, state: ConditionalState): string | null {
  for (const { address, storage } of conditional.knownAccounts) {
    const bytes = hexToBytes(address)
    if (typeof storage === 'string') {
      const account = state.account(bytes)
      const root = account === null ? EMPTY_TRIE_ROOT : bytesToHex(account.storageRoot)
      if (root !== storage) return `failed account storage root constraint. Got ${root}, Expected ${storage}`
      continue
    }
    for (const { slot, value } of storage) {
      const found = bytesToHex(state.storage(bytes, hexToBytes(slot)))
      if (found !== value) return `failed account storage slot key ${slot} constraint. Got ${found}, Expected ${value}`
    }
  }
  return null
}

/** No block from this number and time on can satisfy the bounds. */
export function failedForGood(
  { blockNumberMax, timestampMax }: TransactionConditional,
  next: { readonly number: number; readonly timestampSec: number },
): boolean {
  return (
    (blockNumberMax !== null && BigInt(next.number) > blockNumberMax) || (timestampMax !== null && BigInt(next.timestampSec) > timestampMax)
  )
}
