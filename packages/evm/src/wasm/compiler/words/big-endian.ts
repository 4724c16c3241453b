import type { Limb, Word } from '../values/limb.ts'
import type { ValueWriter } from '../values/value-writer.ts'

const HALVES = [
  { offset: 16, low: 0 },
  { offset: 0, low: 2 },
] as const

/** `vector` is a v128 local. */
export function loadBigEndian(w: ValueWriter, pushAddress: () => void, offset: number, vector: number): Word {
  const limbs: Limb[] = []
  for (const half of HALVES) {
    pushAddress()
    w.body.loadVector(offset + half.offset)
    w.body.set(vector)
    w.body.reverseBytes(vector)
    w.body.tee(vector)
    w.body.extractLane64(0)
    limbs[half.low] = w.save()
    w.body.get(vector)
    w.body.extractLane64(1)
    limbs[half.low + 1] = w.save()
  }
  return limbs as unknown as Word
}

export function storeBigEndian(w: ValueWriter, pushAddress: () => void, offset: number, value: Word, vector: number): void {
  for (const half of HALVES) {
    const low = value[half.low]
    const high = value[half.low + 1] as Limb
    pushAddress()
    if (low.kind === 'constant' && high.kind === 'constant') {
      w.body.i64(reversed(high.value))
      w.body.store64(offset + half.offset)
      pushAddress()
      w.body.i64(reversed(low.value))
      w.body.store64(offset + half.offset + 8)
      continue
    }
    w.push(low)
    w.body.splat64()
    w.push(high)
    w.body.replaceLane64(1)
    w.body.set(vector)
    w.body.reverseBytes(vector)
    w.body.storeVector(offset + half.offset)
  }
}

function reversed(limb: bigint): bigint {
  let result = 0n
  for (let rest = limb, i = 0; i < 8; i++, rest >>= 8n) result = (result << 8n) | (rest & 0xffn)
  return result
}
