/** Messages with valid parts, of which some are broken: lists of a million items, deep lists, wrong lengths. */
import { concatBytes, type RlpInput, rlpEncode } from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'
import { brokenBytes } from '../mutate.ts'

const MAX_BOMB_ITEMS = 300_000

function listOf(content: Uint8Array): Uint8Array {
  const { length } = content
  return concatBytes(Uint8Array.of(0xfa, length >>> 16, (length >>> 8) & 0xff, length & 0xff), content)
}

const bomb = fc
  .record({ items: fc.integer({ min: 70_000, max: MAX_BOMB_ITEMS }), byte: fc.constantFrom(0x01, 0x80, 0xc0) })
  .map(({ items, byte }) => listOf(new Uint8Array(items).fill(byte)))

const deep = fc.integer({ min: 1, max: 3_000 }).map((depth) => {
  let item: Uint8Array = Uint8Array.of(0xc0)
  for (let i = 0; i < depth && item.length < 60_000; i++)
    item = item.length < 55 ? concatBytes(Uint8Array.of(0xc0 + item.length), item) : wide(item)
  return item
})

function wide(item: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0xf9, item.length >>> 8, item.length & 0xff), item)
}

/** Encoded values; one in a hundred is a bomb or a deep list. */
export function hostileRlp(valid: Arbitrary<RlpInput>): Arbitrary<Uint8Array> {
  const encoded = valid.map((value) => rlpEncode(value))
  return fc.oneof(
    { weight: 60, arbitrary: encoded },
    { weight: 140, arbitrary: brokenBytes(encoded) },
    { weight: 1, arbitrary: bomb },
    { weight: 1, arbitrary: deep },
    {
      weight: 1,
      arbitrary: fc.tuple(encoded, bomb).map(([value, inner]) => listOf(concatBytes(value, inner, value))),
    },
  )
}
