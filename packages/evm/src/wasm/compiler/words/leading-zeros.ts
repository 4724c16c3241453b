import { Instruction } from '../encoding/instructions.ts'
import { isZero, narrowWord, type Word } from '../values/limb.ts'
import type { ValueWriter } from '../values/value-writer.ts'

/** EIP-7939: 256 for zero. */
export function countLeadingZeros(w: ValueWriter, value: Word): Word {
  const count = (limb: 0 | 1 | 2 | 3) => {
    w.push(value[limb])
    w.body.op(Instruction.i64Clz)
    w.body.i64(BigInt(64 * (3 - limb)))
    w.body.op(Instruction.i64Add)
  }
  count(0)
  for (const limb of [1, 2, 3] as const) {
    if (isZero(value[limb])) continue
    const lower = w.save()
    count(limb)
    w.push(lower)
    w.push(value[limb])
    w.body.i64(0n)
    w.body.op(Instruction.i64Ne, Instruction.select)
  }
  return narrowWord(w.save())
}
