import assert from 'node:assert/strict'
import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { bytesToBigint, concatBytes } from './bytes.ts'
import { CodecError } from './errors.ts'
import { hexToBytes } from './hex.ts'
import {
  type RlpInput,
  type RlpItem,
  rlpBigint,
  rlpBytes,
  rlpDecode,
  rlpDecodeFirst,
  rlpEncode,
  rlpEncodeList,
  rlpEndOfFirst,
  rlpList,
  rlpNumber,
} from './rlp.ts'

type Tree = Uint8Array | Tree[]
const { tree } = fc.letrec<{ tree: Tree; leaf: Uint8Array }>((tie) => ({
  tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), fc.array(tie('tree'), { maxLength: 6 })),
  leaf: fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.uint8Array({ minLength: 50, maxLength: 70 }), fc.uint8Array({ maxLength: 400 })),
}))

const refuses = (hex: string) =>
  assert.throws(
    () => rlpDecode(hexToBytes(hex)),
    (error) => error instanceof CodecError && error.code === 'codec/rlp',
    hex,
  )

describe('RLP', () => {
  it('encodes as the reference library does and decodes to the same', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const encoded = rlpEncode(value as RlpInput)
        assert.deepEqual(encoded, RLP.encode(value))
        assert.deepEqual(rlpDecode(encoded), value)
      }),
      { numRuns: 500 },
    )
  })

  it('encodes an item larger than the buffer, and small items after it', () => {
    for (const size of [5_000, 3_000_000, 1, 20_000]) {
      const value = [new Uint8Array(size).fill(7), [Uint8Array.of(1), new Uint8Array(size)]]
      assert.ok(Buffer.from(rlpEncode(value)).equals(Buffer.from(RLP.encode(value))), `${size} bytes`)
    }
    assert.deepEqual(rlpEncode([1, 2n], 0x7e), Uint8Array.of(0x7e, 0xc2, 1, 2))
  })

  it('finds the end of an item from its header, whatever a list contains', () => {
    const endOf = (read: (bytes: Uint8Array) => number, bytes: Uint8Array) => {
      try {
        return read(bytes)
      } catch (error) {
        assert.ok(error instanceof CodecError)
        return error.message
      }
    }
    const damaged = fc.tuple(tree, fc.nat(), fc.nat(255)).map(([value, where, byte]) => {
      const encoded = rlpEncode(value as RlpInput)
      encoded[where % encoded.length] = byte
      return encoded
    })
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 80 })), (bytes) => {
        const decoded = endOf((data) => rlpDecodeFirst(data).end, bytes)
        const found = endOf(rlpEndOfFirst, bytes)
        const isList = (bytes[0] ?? 0) >= 0xc0
        if (typeof decoded === 'number' || !isList) assert.equal(found, decoded)
        else assert.ok(typeof found === 'string' || found <= bytes.length)
      }),
      { numRuns: 500 },
    )
    // a list whose only item runs past its end
    assert.equal(rlpEndOfFirst(hexToBytes('0xc283ff')), 3)
  })

  it('encodes numbers as minimal big-endian bytes', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), (n) => assert.deepEqual(rlpEncode(n), RLP.encode(n))))
    fc.assert(fc.property(fc.maxSafeNat(), (n) => assert.deepEqual(rlpEncode(n), RLP.encode(n))))
    assert.throws(() => rlpEncode(-1), CodecError)
  })

  it('decodes only what it would encode: any accepted input is canonical', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        let item: RlpItem
        try {
          item = rlpDecode(bytes)
        } catch (error) {
          assert.ok(error instanceof CodecError)
          return
        }
        assert.deepEqual(rlpEncode(item as RlpInput), bytes)
      }),
      { numRuns: 3000 },
    )
  })

  it('rejects non-canonical and malformed encodings', () => {
    const cases = [
      '0x', // empty input
      '0x8100', // byte below 0x80 in a string
      '0x817f',
      '0xb801ff', // long form for a short string
      '0xb90001ff', // leading zero in a length
      '0xf800', // long form for a short list
      '0x83ffff', // string runs past the end
      '0xc3ffff', // list runs past the end
      '0xc281', // inner string runs past its list
      '0x0000', // bytes after the item
      '0xc000',
      '0xbfffffffffffffffff', // absurd length
      '0xb8', // length missing
      '0xf9',
    ]
    for (const hex of cases) refuses(hex)
  })

  it('rejects nesting beyond its limit instead of overflowing the stack', () => {
    let deep: Uint8Array = Uint8Array.of(0xc0)
    for (let i = 0; i < 1000; i++) deep = rlpEncodeList([deep])
    assert.throws(
      () => rlpDecode(deep),
      (error) => error instanceof CodecError && /nests deeper/.test(error.message),
    )
  })

  it('wraps more encoded items than a call takes arguments', () => {
    const items = new Array<Uint8Array>(300_000).fill(Uint8Array.of(1))
    assert.deepEqual(rlpEncodeList(items).subarray(-items.length), new Uint8Array(items.length).fill(1))
  })

  it('wraps encoded items and reads streams of them', () => {
    const items = [rlpEncode(1), rlpEncode(new Uint8Array(60)), rlpEncode([2, 3])]
    assert.deepEqual(rlpEncodeList(items), rlpEncode([1, new Uint8Array(60), [2, 3]]))
    const stream = concatBytes(...items)
    const first = rlpDecodeFirst(stream)
    assert.equal(first.end, 1)
    const second = rlpDecodeFirst(stream, first.end)
    assert.deepEqual(second.item, new Uint8Array(60))
    assert.equal(rlpDecodeFirst(stream, second.end).end, stream.length)
  })

  it('reads typed items and reports the expected type', () => {
    assert.equal(rlpBigint(Uint8Array.of(1, 0), 'x'), 256n)
    assert.equal(rlpBigint(new Uint8Array(0), 'x'), 0n)
    assert.throws(() => rlpBigint(Uint8Array.of(0, 1), 'nonce'), /nonce: integer with a leading zero/)
    assert.throws(() => rlpBigint(new Uint8Array(33).fill(1), 'value'), /value: integer of 33 bytes, at most 32/)
    assert.throws(() => rlpNumber(new Uint8Array(8).fill(255), 'time'), /time: .* above 2\^53-1/)
    assert.throws(() => rlpBytes([], 'to'), /to: expected RLP bytes/)
    assert.throws(() => rlpBytes(new Uint8Array(19), 'to', 20), /to: expected 20 bytes, got 19/)
    assert.throws(() => rlpList(new Uint8Array(0), 'logs'), /logs: expected an RLP list/)
    assert.throws(() => rlpList(undefined, 'logs'), /logs: expected an RLP list/)
    assert.equal(bytesToBigint(rlpBytes(Uint8Array.of(5), 'x')), 5n)
  })
})
