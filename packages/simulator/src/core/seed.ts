import { createHash } from 'node:crypto'
import type { Random } from '@keelson/primitives'
import { createSeededRandom } from '@keelson/runtime'

/** One seed for many consumers. Each draws from a generator of its own, so that a new consumer shifts no other. */
export interface Seed {
  readonly value: number
  random(consumer: string): Random
  /** Below 2^32. */
  number(consumer: string): number
  /** A number below 2^32 that depends on the seed and both arguments. */
  tie(owner: number, atUs: number): number
}

export function createSeed(value: number): Seed {
  const number = (consumer: string) => createHash('sha256').update(`${value}:${consumer}`).digest().readUInt32LE(0)
  const ties = number('ties')
  return {
    value,
    random: (consumer) => createSeededRandom(number(consumer)),
    number,
    tie: (owner, atUs) => mix(mix(mix(ties ^ owner) ^ (atUs % 2 ** 32)) ^ Math.floor(atUs / 2 ** 32)),
  }
}

/** The finalizer of MurmurHash3. */
function mix(value: number): number {
  let x = value | 0
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}
