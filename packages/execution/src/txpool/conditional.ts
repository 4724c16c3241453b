/** Conditions are not part of the protocol: the node checks them at submission and in the builder. */
import { type Address, bytesToHex, EMPTY_TRIE_ROOT, type Hash, hexToBytes } from '@keelson/primitives'

export interface KnownAccount {
  readonly address: Address
  readonly storage: Hash | readonly { readonly slot: Hash; readonly value: Hash }[]
}

export interface TransactionConditional {
  readonly knownAccounts: readonly KnownAccount[]
  readonly blockNumberMin: bigint | null
  readonly blockNumberMax: bigint | null
  readonly timestampMin: bigint | null
  readonly timestampMax: bigint | null
}

/** Maximum look-ups of one transaction: each account, each storage root or slot, and each pair of bounds costs one. */
export const MAX_CONDITIONAL_COST = 1_000

export function conditionalCost(conditional: TransactionConditional): number {
  const { knownAccounts, blockNumberMin, blockNumberMax, timestampMin, timestampMax } = conditional
  const bounds = (blockNumberMin !== null || blockNumberMax !== null ? 1 : 0) + (timestampMin !== null || timestampMax !== null ? 1 : 0)
  return knownAccounts.reduce((sum, { storage }) => sum + 1 + (typeof storage === 'string' ? 1 : storage.length), bounds)
}

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

export interface ConditionalState {
  account(address: Uint8Array): { readonly storageRoot: Uint8Array } | null
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
}

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

/** No later block can satisfy the bounds. */
export function failedForGood(
  { blockNumberMax, timestampMax }: TransactionConditional,
  next: { readonly number: number; readonly timestampSec: number },
): boolean {
  return (
    (blockNumberMax !== null && BigInt(next.number) > blockNumberMax) || (timestampMax !== null && BigInt(next.timestampSec) > timestampMax)
  )
}
