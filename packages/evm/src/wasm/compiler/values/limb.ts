/** A constant, an i64 local, or an i32 local that holds 0 or 1. */
export type Limb = ConstantLimb | LocalLimb | FlagLimb

export interface ConstantLimb {
  readonly kind: 'constant'
  readonly value: bigint
}

export interface LocalLimb {
  readonly kind: 'local'
  readonly local: number
}

export interface FlagLimb {
  readonly kind: 'flag'
  readonly local: number
}

/** Least significant limb first. */
export type Word = readonly [Limb, Limb, Limb, Limb]

const MASK = (1n << 64n) - 1n
export const ZERO: ConstantLimb = { kind: 'constant', value: 0n }

export function constantLimb(value: bigint): ConstantLimb {
  const low = value & MASK
  return low === 0n ? ZERO : { kind: 'constant', value: low }
}

/** Modulo 2^256. */
export function constantWord(value: bigint): Word {
  return [constantLimb(value), constantLimb(value >> 64n), constantLimb(value >> 128n), constantLimb(value >> 192n)]
}

export const ZERO_WORD: Word = [ZERO, ZERO, ZERO, ZERO]

export const narrowWord = (low: Limb): Word => [low, ZERO, ZERO, ZERO]

export const isZero = (limb: Limb): boolean => limb.kind === 'constant' && limb.value === 0n

/** Whether the value is known to be below 2^64. */
export const isNarrow = (word: Word): boolean => isZero(word[1]) && isZero(word[2]) && isZero(word[3])

export function constantOf(word: Word): bigint | null {
  let value = 0n
  for (let i = 3; i >= 0; i--) {
    const limb = word[i] as Limb
    if (limb.kind !== 'constant') return null
    value = (value << 64n) | limb.value
  }
  return value
}

export function mapLimbs(transform: (index: 0 | 1 | 2 | 3) => Limb): Word {
  return [transform(0), transform(1), transform(2), transform(3)]
}
