import { FRAME_INPUT, FRAME_INPUT_LENGTH } from '../../layout.ts'
import { Instruction } from '../encoding/instructions.ts'
import { ZERO_WORD } from '../values/limb.ts'
import type { ValueWriter } from '../values/value-writer.ts'

const FRAME = 0
const OFFSET = 1
const SPARE = 2
const WORD_BYTES = 32

/** (frame, offset below 2^31, spare) -> address of 32 bytes, zero-padded at `spare` if necessary. */
export function writeCallDataAddress(w: ValueWriter): void {
  const pushLength = () => {
    w.body.get(FRAME)
    w.body.load32(FRAME_INPUT_LENGTH)
  }
  const pushSource = () => {
    w.body.get(FRAME)
    w.body.load32(FRAME_INPUT)
    w.body.get(OFFSET)
    w.body.op(Instruction.i32Add)
  }
  w.body.get(OFFSET)
  w.body.i32(WORD_BYTES)
  w.body.op(Instruction.i32Add)
  pushLength()
  w.body.op(Instruction.i32LeU)
  w.body.if()
  pushSource()
  w.body.op(Instruction.return)
  w.body.end()
  w.storeWord(() => w.body.get(SPARE), 0, ZERO_WORD)
  w.body.get(OFFSET)
  pushLength()
  w.body.op(Instruction.i32LtU)
  w.body.if()
  w.body.get(SPARE)
  pushSource()
  pushLength()
  w.body.get(OFFSET)
  w.body.op(Instruction.i32Sub)
  w.body.memoryCopy()
  w.body.end()
  w.body.get(SPARE)
}
