/** The L1 block of an L2 block, from its first transaction. specs: protocol/deposits.md#l1-attributes-deposited-transaction */

/** Hex digits before the number: selector, two scalars, sequence number and time. */
const PACKED_AT = 2 + 2 * (4 + 4 + 4 + 8 + 8)
/** From Ecotone on, later forms only add to its end. */
const PACKED_BYTES = 164
/** Bedrock: the number is the first word after the selector. */
const WORDS_BYTES = 260
const WORD_END = 2 + 2 * (4 + 32)

/** Null if `input` has no known form. */
export function l1OriginOf(input: string): number | null {
  const bytes = (input.length - 2) / 2
  if (bytes === WORDS_BYTES) return readHex(input.slice(WORD_END - 16, WORD_END))
  return bytes >= PACKED_BYTES ? readHex(input.slice(PACKED_AT, PACKED_AT + 16)) : null
}

function readHex(digits: string): number | null {
  const number = Number.parseInt(digits, 16)
  return Number.isSafeInteger(number) ? number : null
}
