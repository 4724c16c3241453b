import { Instruction } from '../encoding/instructions.ts'
import { type Limb, type Word, ZERO } from '../values/limb.ts'
import type { ValueWriter } from '../values/value-writer.ts'
import { multiplyWords } from '../words/multiply.ts'

const parameter = (local: number): Limb => ({ kind: 'local', local })

/** Numbers below 2^64 take a short path. */
export function writeMultiply(w: ValueWriter): void {
  const [a0, a1, a2, a3, b0, b1, b2, b3] = Array.from({ length: 8 }, (_, local) => parameter(local)) as [
    Limb,
    Limb,
    Limb,
    Limb,
    Limb,
    Limb,
    Limb,
    Limb,
  ]
  const a: Word = [a0, a1, a2, a3]
  const b: Word = [b0, b1, b2, b3]
  w.pushUnion([a1, a2, a3, b1, b2, b3])
  w.body.op(Instruction.i64Eqz)
  w.body.if()
  w.pushWord(multiplyWords(w, [a0, ZERO, ZERO, ZERO], [b0, ZERO, ZERO, ZERO]))
  w.body.op(Instruction.return)
  w.body.end()
  w.pushWord(multiplyWords(w, a, b))
}
