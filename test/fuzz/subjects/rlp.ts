import assert from 'node:assert/strict'
import { CodecError, type RlpItem, rlpDecode, rlpDecodeFirst, rlpEncode, rlpEncodeList } from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'
import { brokenBytes } from '../mutate.ts'
import { defineSubject } from '../subject.ts'

const { item } = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.uint8Array({ maxLength: 70 }),
    fc.array(tie('item'), { maxLength: 5 }) as Arbitrary<RlpItem>,
  ),
}))

type Case = { readonly kind: 'value'; readonly item: RlpItem } | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

export function orCodecError<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch (error) {
    if (error instanceof CodecError) return null
    throw error
  }
}

export const rlpSubject = defineSubject<Case>({
  name: 'rlp',
  cases: 330_000,
  caseLimitMs: 5_000,
  open: async () => ({
    arbitrary: fc.oneof(
      fc.record({ kind: fc.constant('value' as const), item }),
      fc.record({ kind: fc.constant('bytes' as const), bytes: brokenBytes(item.map((value) => rlpEncode(value))) }),
    ),
    check(value) {
      if (value.kind === 'value') {
        const encoded = rlpEncode(value.item)
        assert.deepEqual(rlpDecode(encoded), value.item)
        const list = value.item
        if (!(list instanceof Uint8Array)) assert.deepEqual(rlpEncodeList(list.map((part) => rlpEncode(part))), encoded)
        return
      }
      const decoded = orCodecError(() => rlpDecode(value.bytes))
      if (decoded !== null) assert.deepEqual(rlpEncode(decoded), value.bytes)
      const first = orCodecError(() => rlpDecodeFirst(value.bytes))
      assert.ok(decoded === null || first !== null)
      if (first !== null) assert.deepEqual(rlpEncode(first.item), value.bytes.slice(0, first.end))
    },
  }),
})
