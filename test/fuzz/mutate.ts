import { concatBytes } from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'

type ByteChange =
  | { readonly kind: 'set'; readonly at: number; readonly byte: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'remove'; readonly at: number; readonly count: number }
  | { readonly kind: 'repeat'; readonly at: number; readonly count: number }
  | { readonly kind: 'cut'; readonly at: number }

/** Boundaries of RLP prefixes, varints, transaction types and signs. */
const EDGE_BYTES = [0x00, 0x01, 0x02, 0x03, 0x04, 0x7e, 0x7f, 0x80, 0x81, 0xb7, 0xb8, 0xbf, 0xc0, 0xc1, 0xf7, 0xf8, 0xf9, 0xfb, 0xff]
const edgeByte = fc.oneof(fc.constantFrom(...EDGE_BYTES), fc.nat(255))
const position = fc.nat(1_000_000)

export const wildBytes = (maxLength = 80): Arbitrary<Uint8Array> =>
  fc.oneof(
    fc.uint8Array({ maxLength }),
    fc.array(edgeByte, { maxLength }).map((bytes) => Uint8Array.from(bytes)),
  )

const byteChange: Arbitrary<ByteChange> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('set' as const), at: position, byte: edgeByte }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('insert' as const), at: position, bytes: wildBytes(8) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: position, count: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat' as const), at: position, count: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), at: position }) },
)

function changeBytes(bytes: Uint8Array, change: ByteChange): Uint8Array {
  const at = bytes.length === 0 ? 0 : change.at % (bytes.length + 1)
  const head = bytes.subarray(0, at)
  switch (change.kind) {
    case 'set': {
      const out = bytes.slice()
      if (at < out.length) out[at] = change.byte
      return out
    }
    case 'insert':
      return concatBytes(head, change.bytes, bytes.subarray(at))
    case 'remove':
      return concatBytes(head, bytes.subarray(at + change.count))
    case 'repeat':
      return concatBytes(head, bytes.subarray(at, at + change.count), bytes.subarray(at))
    case 'cut':
      return head.slice()
  }
}

export function mutatedBytes(valid: Arbitrary<Uint8Array>): Arbitrary<Uint8Array> {
  return fc.tuple(valid, fc.array(byteChange, { minLength: 1, maxLength: 3 })).map(([bytes, changes]) => changes.reduce(changeBytes, bytes))
}

export function brokenBytes(valid: Arbitrary<Uint8Array>): Arbitrary<Uint8Array> {
  return fc.oneof({ weight: 5, arbitrary: mutatedBytes(valid) }, { weight: 1, arbitrary: wildBytes(200) })
}

const HEX_LENGTHS = [0, 1, 2, 8, 16, 40, 63, 64, 65, 66, 512]
const hexText = fc.oneof(
  fc
    .constantFrom(...HEX_LENGTHS)
    .chain((length) => fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: length, maxLength: length })),
  fc.constantFrom('0', '1', '00', '01', '7fffffffffffffff', 'ffffffffffffffff', '10000000000000000', '1fffffffffffff', '20000000000000'),
)

export const wildScalar: Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: hexText.map((digits) => `0x${digits}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'latest',
      'pending',
      'earliest',
      'safe',
      'finalized',
      'Latest',
      '',
      '0x',
      '0X1',
      'x',
      '-0x1',
      '0x-1',
      ' 0x1',
      'callTracer',
      'prestateTracer',
      '1e3',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, true, false, 0, -1, -0, 1.5, 2 ** 31, 2 ** 53, 1e21, 1e308, 4294967295, 4294967296) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
)

const ODD_KEYS = ['__proto__', 'constructor', 'toString', 'length', '', '0', 'hasOwnProperty']

export const wildJson: Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: wildScalar },
  { weight: 1, arbitrary: fc.array(wildScalar, { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...ODD_KEYS), fc.string({ maxLength: 8 })), wildScalar), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  },
  { weight: 1, arbitrary: fc.constantFrom([], {}, [[]], [[[]]], [null], { length: 3 }) },
)

export type JsonChange = { readonly at: number; readonly value: unknown; readonly kind: 'replace' | 'remove' | 'wrap' | 'repeat' }

export const jsonChange: Arbitrary<JsonChange> = fc.record({
  at: position,
  value: wildJson,
  kind: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'wrap', 'repeat'),
})

function countNodes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, part) => sum + countNodes(part), 1)
}

const GONE = Symbol('removed')

export function changeJson(value: unknown, change: JsonChange): unknown {
  let left = change.at % countNodes(value)
  const visit = (node: unknown): unknown => {
    if (left-- === 0) {
      if (change.kind === 'remove') return GONE
      if (change.kind === 'wrap') return [node]
      if (change.kind === 'repeat') return [node, node]
      return change.value
    }
    if (Array.isArray(node)) return node.map(visit).filter((part) => part !== GONE)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(
      Object.entries(node)
        .map(([key, part]) => [key, visit(part)] as const)
        .filter(([, part]) => part !== GONE),
    )
  }
  const changed = visit(value)
  return changed === GONE ? null : changed
}
