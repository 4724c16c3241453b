import { randomBytes } from 'node:crypto'
import type { Random } from '@keelson/primitives'

export function createSystemRandom(): Random {
  return {
    bytes: (length) => new Uint8Array(randomBytes(length)),
    next: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
  }
}

/** Uses xoshiro128**, which is unsuitable for keys. */
export function createSeededRandom(seed: number): Random {
  const state = seedState(seed)
  const nextU32 = () => {
    const [s0, s1, s2, s3] = state as unknown as [number, number, number, number]
    const result = Math.imul(rotate(Math.imul(s1, 5), 7), 9) >>> 0
    const mixed = s2 ^ s0
    const turned = s3 ^ s1
    state[1] = s1 ^ mixed
    state[0] = s0 ^ turned
    state[2] = mixed ^ (s1 << 9)
    state[3] = rotate(turned, 11)
    return result
  }
  return {
    bytes: (length) => Uint8Array.from({ length }, () => nextU32() >>> 24),
    next: () => nextU32() / 2 ** 32,
  }
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by))
}

/** splitmix32: the state must not be all zero. */
function seedState(seed: number): Int32Array {
  let x = seed | 0
  return Int32Array.from({ length: 4 }, () => {
    x = (x + 0x9e3779b9) | 0
    let z = x ^ (x >>> 16)
    z = Math.imul(z, 0x21f0aaad)
    z ^= z >>> 15
    z = Math.imul(z, 0x735a2d97)
    return z ^ (z >>> 15)
  })
}
