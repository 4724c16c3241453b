import {
  CODE_BYTES,
  CODE_COMPILED,
  CODE_JUMPS,
  CODE_JUMPS_KNOWN,
  CODE_LENGTH,
  CODE_PADDING,
  CODE_PINS,
  FRAME_ACCOUNT,
  FRAME_BYTES,
  FRAME_CALLER,
  FRAME_CODE,
  FRAME_CODE_ADDRESS,
  FRAME_CODE_ENTRY,
  FRAME_CODE_LENGTH,
  FRAME_COMPILED,
  FRAME_DEPTH,
  FRAME_GAS,
  FRAME_GAS_LIMIT,
  FRAME_HALT,
  FRAME_INPUT,
  FRAME_INPUT_LENGTH,
  FRAME_JOURNAL_MARK,
  FRAME_JUMPS,
  FRAME_JUMPS_KNOWN,
  FRAME_KIND,
  FRAME_LOG_MARK,
  FRAME_MEMORY,
  FRAME_MEMORY_BYTES,
  FRAME_OUTPUT,
  FRAME_OUTPUT_LENGTH,
  FRAME_PC,
  FRAME_REFUND_MARK,
  FRAME_RETURN_LENGTH,
  FRAME_SP,
  FRAME_STACK,
  FRAME_STATIC,
  FRAME_VALUE,
  HALT_NONE,
} from '../../src/wasm/layout'
import { noteEntries } from '../code/heat'
import { bitmapBytes } from '../code/jumps'
import { reachMemory } from '../interpreter/memory'
import { journalMark } from '../state/journal'
import { logMark } from '../state/logs'
import { refundCounter } from '../state/refund'
import { copyAddress, copyWord } from '../words'
import { Call } from './call'
import { nextDepth, nextMemory, nextStack, pushFrame, topFrame } from './frames'
import { setReturnDataSize } from './return-data'
import { isTraced } from './tracing'

export function enterCode(record: usize, mark: usize): void {
  const frame = openFrame(mark, nextMemory())
  store<u32>(frame, load<u32>(record, CODE_BYTES), FRAME_CODE)
  store<u32>(frame, load<u32>(record, CODE_LENGTH), FRAME_CODE_LENGTH)
  store<u32>(frame, record, FRAME_CODE_ENTRY)
  store<u32>(frame, load<u32>(record, CODE_JUMPS), FRAME_JUMPS)
  store<u32>(frame, load<u32>(record, CODE_JUMPS_KNOWN), FRAME_JUMPS_KNOWN)
  // Only the interpreter traces every step.
  store<u32>(frame, isTraced() ? 0 : load<u32>(record, CODE_COMPILED), FRAME_COMPILED)
  store<u32>(record, load<u32>(record, CODE_PINS) + 1, CODE_PINS)
  noteEntries(record, 1)
  store<u32>(frame, Call.input, FRAME_INPUT)
  store<u32>(frame, Call.inputLength, FRAME_INPUT_LENGTH)
  pushFrame()
}

/** Copies init code behind the caller's memory, where zeros can follow it. */
export function enterInitCode(mark: usize): void {
  const length = Call.inputLength
  const code = nextMemory()
  const jumps = (code + length + CODE_PADDING + 7) & ~7
  const end = (jumps + bitmapBytes(length) + 63) & ~63
  reachMemory(end)
  if (length != 0) memory.copy(code, Call.input, length)
  memory.fill(code + length, 0, CODE_PADDING)
  const frame = openFrame(mark, end)
  store<u32>(frame, code, FRAME_CODE)
  store<u32>(frame, length, FRAME_CODE_LENGTH)
  store<u32>(frame, 0, FRAME_CODE_ENTRY)
  store<u32>(frame, jumps, FRAME_JUMPS)
  store<u32>(frame, 0, FRAME_JUMPS_KNOWN)
  store<u32>(frame, 0, FRAME_COMPILED)
  store<u32>(frame, 0, FRAME_INPUT)
  store<u32>(frame, 0, FRAME_INPUT_LENGTH)
  pushFrame()
}

function openFrame(mark: usize, memoryAt: usize): usize {
  const frame = topFrame() + FRAME_BYTES
  const stack = nextStack()
  store<u32>(frame, 0, FRAME_PC)
  store<u32>(frame, stack, FRAME_STACK)
  store<u32>(frame, stack, FRAME_SP)
  store<u32>(frame, memoryAt, FRAME_MEMORY)
  store<u32>(frame, 0, FRAME_MEMORY_BYTES)
  store<i64>(frame, Call.gas, FRAME_GAS)
  store<i64>(frame, Call.gas, FRAME_GAS_LIMIT)
  store<u32>(frame, Call.output, FRAME_OUTPUT)
  store<u32>(frame, Call.outputLength, FRAME_OUTPUT_LENGTH)
  store<u32>(frame, Call.storageAccount, FRAME_ACCOUNT)
  copyAddress(frame + FRAME_CODE_ADDRESS, Call.codeAccount)
  copyAddress(frame + FRAME_CALLER, Call.caller)
  copyWord(frame + FRAME_VALUE, Call.value)
  store<u32>(frame, Call.isStatic, FRAME_STATIC)
  store<u32>(frame, Call.kind, FRAME_KIND)
  store<u32>(frame, mark, FRAME_JOURNAL_MARK)
  store<u32>(frame, logMark(), FRAME_LOG_MARK)
  store<i64>(frame, refundCounter(), FRAME_REFUND_MARK)
  store<u32>(frame, HALT_NONE, FRAME_HALT)
  store<u32>(frame, 0, FRAME_RETURN_LENGTH)
  store<u32>(frame, nextDepth(), FRAME_DEPTH)
  setReturnDataSize(0)
  return frame
}
