import { type Bytes20, type Bytes32, compareBytes, decodeStateDiff, equalBytes, keccak256, type StateDiff } from '@keelson/primitives'
import type { DumpedSlot } from '@keelson/state'

export interface SlotChanges {
  readonly isReset: boolean
  /** In the order of their hashes; null for a slot that is cleared. */
  readonly slots: readonly (Omit<DumpedSlot, 'value'> & { readonly value: Bytes32 | null })[]
}

export function slotChangesOf(diff: StateDiff, address: Bytes20): SlotChanges {
  const change = decodeStateDiff(diff).accounts.find((one) => equalBytes(one.address, address))
  if (change === undefined) return { isReset: false, slots: [] }
  const slots = change.slots.map(([slot, value]) => ({
    slotHash: keccak256(slot),
    slot,
    value: value.some((byte) => byte !== 0) ? value : null,
  }))
  return { isReset: change.deleted || change.storageReset, slots: slots.sort((a, b) => compareBytes(a.slotHash, b.slotHash)) }
}

/** Merges two lists that are sorted by hash; changes win. */
export function* mergeSlots(before: Iterable<DumpedSlot>, { isReset, slots }: SlotChanges, start: Bytes32): Generator<DumpedSlot> {
  const changes = slots.filter(({ slotHash }) => compareBytes(slotHash, start) >= 0)
  let next = 0
  for (const old of isReset ? [] : before) {
    for (; next < changes.length && compareBytes(slotHashAt(changes, next), old.slotHash) < 0; next++) yield* present(changes[next])
    if (next < changes.length && equalBytes(slotHashAt(changes, next), old.slotHash)) yield* present(changes[next++])
    else yield old
  }
  for (; next < changes.length; next++) yield* present(changes[next])
}

function slotHashAt(changes: SlotChanges['slots'], index: number): Bytes32 {
  return (changes[index] as SlotChanges['slots'][number]).slotHash
}

function* present(change: SlotChanges['slots'][number] | undefined): Generator<DumpedSlot> {
  if (change !== undefined && change.value !== null) yield { ...change, value: change.value }
}
