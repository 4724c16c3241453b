import {
  FIRST_SLOTS,
  LIMIT_SLOTS,
  MORE_SLOTS,
  PARAM_HOST_WARM_SLOTS,
  SLOT_ACCOUNT,
  SLOT_BYTES,
  SLOT_CAPACITY,
  SLOT_CHANGED,
  SLOT_FLAGS,
  SLOT_INDEX,
  SLOT_INDEX_MASK,
  SLOT_KEY,
  SLOT_LISTED,
  SLOT_LOADED,
  SLOT_POSITION,
  SLOT_SHIFT,
  SLOT_TRANSIENT,
  SLOT_VALUE,
  SLOT_WARM,
  SLOTS,
  CONTEXT,
} from '../../src/wasm/layout'
import { limit, loadSlot, openSlot } from '../host'
import { reachMemory } from '../interpreter/memory'
import { copyWord } from '../words'
import { INDEX_GROWTH_BITS, INDEX_GROWTH_MASK, mix, SMALL_INDEX_MASK, topBits } from './hashing'
import { rememberSlotFlags, rememberSlotValue } from './journal'

let count: u32 = 0
let freePosition: u32 = 0
let indexMask: u32 = SMALL_INDEX_MASK

export function slotCount(): u32 {
  return count
}

export function slotAddress(i: u32): usize {
  if (i < <u32>FIRST_SLOTS) return SLOTS + <usize>i * SLOT_BYTES
  return <usize>MORE_SLOTS + <usize>(i - FIRST_SLOTS) * SLOT_BYTES
}

export function clearSlots(): void {
  clearIndex()
  count = 0
  indexMask = SMALL_INDEX_MASK
}

function clearIndex(): void {
  for (let i: u32 = 0; i < count; i++) {
    const slot = slotAddress(i)
    store<u32>(SLOT_INDEX + (<usize>load<u32>(slot, SLOT_POSITION) << 2), 0)
  }
}

/** A small index stays in the processor's cache, which a call of few slots profits from. */
function growIndex(): void {
  clearIndex()
  indexMask = min<u32>((indexMask << INDEX_GROWTH_BITS) | INDEX_GROWTH_MASK, SLOT_INDEX_MASK)
  for (let i: u32 = 0; i < count; i++) {
    const slot = slotAddress(i)
    findSlot(load<u32>(slot, SLOT_ACCOUNT), slot + SLOT_KEY, load<u32>(slot, SLOT_FLAGS) & SLOT_TRANSIENT)
    store<u32>(slot, freePosition, SLOT_POSITION)
    store<u32>(SLOT_INDEX + (<usize>freePosition << 2), <u32>(slot >>> SLOT_SHIFT))
  }
}

/** `kind` is 0 or SLOT_TRANSIENT; reads no state. */
export function slotAt(account: usize, key: usize, kind: u32): usize {
  const slot = findSlot(account, key, kind)
  return slot != 0 ? slot : newSlot(account, key, kind, freePosition)
}

/** Returns 0 for an unknown slot and sets `freePosition` for a new one. */
export function findSlot(account: usize, key: usize, kind: u32): usize {
  const k0 = load<u64>(key)
  const k1 = load<u64>(key, 8)
  const k2 = load<u64>(key, 16)
  const k3 = load<u64>(key, 24)
  const owner = <u64>account | (<u64>kind << 32)
  let position = topBits(mix(k0, 0) + mix(k1, 1) + mix(k2, 2) + mix(k3, 3) + mix(owner, 4)) & indexMask
  while (true) {
    const slot = <usize>load<u32>(SLOT_INDEX + (<usize>position << 2)) << SLOT_SHIFT
    if (slot == 0) break
    if (
      load<u64>(slot) == k0 &&
      load<u64>(slot, 8) == k1 &&
      load<u64>(slot, 16) == k2 &&
      load<u64>(slot, 24) == k3 &&
      load<u32>(slot, SLOT_ACCOUNT) == <u32>account &&
      (load<u32>(slot, SLOT_FLAGS) & SLOT_TRANSIENT) == kind
    )
      return slot
    position = (position + 1) & indexMask
  }
  freePosition = position
  return 0
}

function newSlot(account: usize, key: usize, kind: u32, position: u32): usize {
  if (count == SLOT_CAPACITY) limit(LIMIT_SLOTS)
  const slot = slotAddress(count)
  // One large step, because growth is slow.
  if (count == <u32>FIRST_SLOTS) reachMemory(slotAddress(SLOT_CAPACITY))
  memory.fill(slot, 0, SLOT_BYTES)
  copyWord(slot + SLOT_KEY, key)
  store<u32>(slot, <u32>account, SLOT_ACCOUNT)
  store<u32>(slot, kind, SLOT_FLAGS)
  store<u32>(slot, position, SLOT_POSITION)
  if (load<u32>(CONTEXT, PARAM_HOST_WARM_SLOTS)) openSlot(slot)
  count++
  store<u32>(SLOT_INDEX + (<usize>position << 2), <u32>(slot >>> SLOT_SHIFT))
  if (count > indexMask >> 1 && indexMask != SLOT_INDEX_MASK) growIndex()
  return slot
}

/** EIP-2929: returns true if the slot was cold. */
// @ts-ignore: decorator
@inline
export function warmSlot(slot: usize): bool {
  if (load<u32>(slot, SLOT_FLAGS) & SLOT_WARM) return false
  rememberSlotFlags(slot)
  store<u32>(slot, load<u32>(slot, SLOT_FLAGS) | SLOT_WARM, SLOT_FLAGS)
  return true
}

/** A step that cannot pay accesses nothing. */
// @ts-ignore: decorator
@inline
export function listSlot(slot: usize): void {
  store<u32>(slot, load<u32>(slot, SLOT_FLAGS) | SLOT_LISTED, SLOT_FLAGS)
}

// @ts-ignore: decorator
@inline
export function ensureSlotLoaded(slot: usize): void {
  if (!(load<u32>(slot, SLOT_FLAGS) & SLOT_LOADED)) loadSlot(slot)
}

// @ts-ignore: decorator
@inline
export function setSlotValue(slot: usize, value: usize): void {
  rememberSlotValue(slot)
  copyWord(slot + SLOT_VALUE, value)
  store<u32>(slot, load<u32>(slot, SLOT_FLAGS) | SLOT_CHANGED, SLOT_FLAGS)
}
