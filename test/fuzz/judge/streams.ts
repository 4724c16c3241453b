import { brotliCompressSync, deflateSync, constants as zlib } from 'node:zlib'
import { encodeBatch } from '@keelson/derivation'
import { concatBytes, rlpEncode, ZERO_HASH } from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'

/** Sizes around the decoder's buffers: 4096 bytes of output, 4095 and 32768 of input. */
const DATA_BYTES = [3, 40, 500, 3000, 4090, 4100, 9000, 20_000, 40_000]

interface Filler {
  readonly bytes: number
  readonly alphabet: number
  readonly seed: number
}

const filler: Arbitrary<Filler> = fc.record({
  bytes: fc.constantFrom(...DATA_BYTES),
  alphabet: fc.constantFrom(1, 2, 12, 256),
  seed: fc.nat(),
})

function fill({ bytes, alphabet, seed }: Filler): Uint8Array {
  const out = new Uint8Array(bytes)
  let state = seed | 1
  for (let i = 0; i < bytes; i++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    out[i] = (state >>> 8) % alphabet
  }
  return out
}

function batchOf(content: Filler): Uint8Array {
  const batch = { parentHash: ZERO_HASH, epoch: { hash: ZERO_HASH, number: 1 }, timestampSec: content.bytes, transactions: [fill(content)] }
  return rlpEncode(encodeBatch({ kind: 'singular', batch }))
}

const plain = fc
  .oneof(
    { weight: 3, arbitrary: fc.array(filler, { minLength: 1, maxLength: 3 }) },
    {
      weight: 2,
      arbitrary: fc.array(
        filler.map((one) => ({ ...one, bytes: one.bytes % 60 })),
        { minLength: 1, maxLength: 40 },
      ),
    },
  )
  .map((contents) => concatBytes(...contents.map(batchOf)))

const zlibStream = fc
  .record({
    bytes: plain,
    level: fc.constantFrom(0, 1, 6, 9),
    memLevel: fc.constantFrom(1, 8, 9),
    strategy: fc.constantFrom(zlib.Z_DEFAULT_STRATEGY, zlib.Z_FIXED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE),
  })
  .map(({ bytes, ...options }) => new Uint8Array(deflateSync(bytes, options)))

const brotliStream = fc
  .record({
    bytes: plain,
    quality: fc.constantFrom(0, 1, 2, 4, 5, 9),
    window: fc.constantFrom(10, 11, 14, 16, 18, 22, 24),
    mode: fc.nat(2),
  })
  .map(({ bytes, quality, window, mode }) => {
    const params = { [zlib.BROTLI_PARAM_QUALITY]: quality, [zlib.BROTLI_PARAM_LGWIN]: window, [zlib.BROTLI_PARAM_MODE]: mode }
    return concatBytes(Uint8Array.of(1), brotliCompressSync(bytes, { params }))
  })

type Damage = (data: Uint8Array) => Uint8Array
const place = fc.nat()
const changed = (data: Uint8Array, at: number, byte: (old: number) => number): Uint8Array => {
  const out = data.slice()
  out[at] = byte(out[at] as number)
  return out
}

const damage: Arbitrary<Damage> = fc.oneof(
  fc.nat(12).map(
    (cut): Damage =>
      (data) =>
        data.subarray(0, Math.max(0, data.length - cut)),
  ),
  place.map(
    (at): Damage =>
      (data) =>
        data.subarray(0, at % data.length),
  ),
  fc.tuple(place, fc.nat(7)).map(
    ([at, bit]): Damage =>
      (data) =>
        changed(data, at % data.length, (old) => old ^ (1 << bit)),
  ),
  fc.tuple(fc.nat(12), fc.nat(255)).map(
    ([back, byte]): Damage =>
      (data) =>
        changed(data, Math.max(0, data.length - 1 - back), () => byte),
  ),
  fc.tuple(fc.nat(40), fc.nat(255)).map(
    ([at, byte]): Damage =>
      (data) =>
        changed(data, at % data.length, () => byte),
  ),
  fc.uint8Array({ minLength: 1, maxLength: 6 }).map(
    (more): Damage =>
      (data) =>
        concatBytes(data, more),
  ),
  fc.tuple(place, fc.uint8Array({ minLength: 1, maxLength: 4 })).map(
    ([at, more]): Damage =>
      (data) =>
        concatBytes(data.subarray(0, at % data.length), more, data.subarray(at % data.length)),
  ),
)

export function compressedStream(algorithm: 'zlib' | 'brotli'): Arbitrary<Uint8Array> {
  return fc
    .tuple(algorithm === 'zlib' ? zlibStream : brotliStream, fc.array(damage, { maxLength: 2 }))
    .map(([data, damages]) => damages.reduce((bytes, apply) => (bytes.length === 0 ? bytes : apply(bytes)), data))
}
