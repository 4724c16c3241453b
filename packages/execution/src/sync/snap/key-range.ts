import type { Bytes32 } from '@keelson/primitives'

/** Keys from `next` to `last`, both included. */
export interface KeyRange {
  next: Bytes32
  readonly last: Bytes32
}

export const FIRST_KEY: Bytes32 = new Uint8Array(32)
export const LAST_KEY: Bytes32 = new Uint8Array(32).fill(0xff)

/** Null after the last key. */
export function keyAfter(key: Bytes32): Bytes32 | null {
  const out = key.slice()
  for (let i = out.length - 1; i >= 0; i--) {
    out[i] = ((out[i] as number) + 1) & 0xff
    if (out[i] !== 0) return out
  }
  return null
}

/** The keys from `first` on, in `parts` ranges of about equal size. Hashes are uniform, so these hold about as many entries each. */
export function splitKeys(first: Bytes32, parts: number): KeyRange[] {
  const from = ((first[0] as number) << 8) | (first[1] as number)
  const ranges: KeyRange[] = []
  let next: Bytes32 = first
  for (let i = 1; i <= parts; i++) {
    const end = from + Math.floor(((0x10000 - from) * i) / parts) - 1
    const last = LAST_KEY.slice()
    last[0] = end >> 8
    last[1] = end & 0xff
    if (end < from || (ranges.length > 0 && end <= boundary(ranges.at(-1) as KeyRange))) continue
    ranges.push({ next, last })
    next = keyAfter(last) ?? LAST_KEY
  }
  return ranges
}

function boundary({ last }: KeyRange): number {
  return ((last[0] as number) << 8) | (last[1] as number)
}
