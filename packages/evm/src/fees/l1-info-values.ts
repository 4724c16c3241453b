/** What the L1 attributes deposit of a block writes to L1Block, read from its calldata. specs: protocol/l1-attributes.md */
import type { BlockRules } from '@keelson/chainspec'
import { type Bytes32, bytesToHex } from '@keelson/primitives'
import { type L1BlockValues, readL1BlockValues } from './l1-block-values.ts'

const SELECTOR_BYTES = 4
const WORD_BYTES = 32
const ZERO_WORD: Bytes32 = new Uint8Array(WORD_BYTES)

type Slots = Readonly<Record<number, Bytes32>>

/** By selector: the length of the calldata, and the slots that it fills. */
const FORMS: Readonly<Record<string, { readonly bytes: number; slots(data: Uint8Array): Slots }>> = {
  // setL1BlockValues
  '0x015d8eb9': { bytes: SELECTOR_BYTES + 8 * WORD_BYTES, slots: bedrockSlots },
  // setL1BlockValuesEcotone
  '0x440a5e20': { bytes: 164, slots: ecotoneSlots },
  // setL1BlockValuesIsthmus
  '0x098999be': { bytes: 176, slots: (data) => ({ ...ecotoneSlots(data), 8: endOfWord(data, 164, 176) }) },
  // setL1BlockValuesJovian
  '0x3db6be2b': { bytes: 178, slots: jovianSlots },
}

/** Null for calldata of another form, which tells nothing about the storage. */
export function l1BlockValuesOfInfo(data: Uint8Array, rules: BlockRules): L1BlockValues | null {
  const form = FORMS[bytesToHex(data.subarray(0, SELECTOR_BYTES))]
  if (form === undefined || data.length !== form.bytes) return null
  const slots = form.slots(data)
  return readL1BlockValues((_address, slot) => slots[slot[WORD_BYTES - 1] as number] ?? ZERO_WORD, rules)
}

function bedrockSlots(data: Uint8Array): Slots {
  const word = (index: number) => endOfWord(data, SELECTOR_BYTES + index * WORD_BYTES, SELECTOR_BYTES + (index + 1) * WORD_BYTES)
  return { 1: word(2), 5: word(6), 6: word(7) }
}

function ecotoneSlots(data: Uint8Array): Slots {
  return { 1: endOfWord(data, 36, 68), 3: endOfWord(data, 4, 20), 7: endOfWord(data, 68, 100) }
}

function jovianSlots(data: Uint8Array): Slots {
  const operator = endOfWord(data, 164, 176)
  operator.set(data.subarray(176, 178), 18)
  return { ...ecotoneSlots(data), 8: operator }
}

/** Packed values are aligned to the end of their slot. */
function endOfWord(data: Uint8Array, from: number, to: number): Bytes32 {
  const word = new Uint8Array(WORD_BYTES)
  word.set(data.subarray(from, to), WORD_BYTES - (to - from))
  return word
}
