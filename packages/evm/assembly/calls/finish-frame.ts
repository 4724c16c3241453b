import {
  CONTEXT,
  FRAME_ACCOUNT,
  FRAME_GAS,
  FRAME_GAS_LIMIT,
  FRAME_HALT,
  FRAME_HALT_OPCODE,
  FRAME_HALT_AMOUNT,
  FRAME_JOURNAL_MARK,
  FRAME_KIND,
  FRAME_LOG_MARK,
  FRAME_OUTPUT,
  FRAME_OUTPUT_LENGTH,
  FRAME_REFUND_MARK,
  FRAME_RETURN,
  FRAME_RETURN_LENGTH,
  FRAME_SP,
  FRAMES,
  KIND_CREATE,
  RESULT_CREATED,
  RESULT_HALT_OPCODE,
  RESULT_HALT_AMOUNT,
  RESULT_OUTPUT,
  RESULT_OUTPUT_LENGTH,
  STATUS_HALT,
  STATUS_RETURN,
} from '../../src/wasm/layout'
import { revertJournal } from '../state/journal'
import { revertLogs } from '../state/logs'
import { setRefund } from '../state/refund'
import { copyAddress, setAddressWord } from '../words'
import { deploy } from './deploy'
import { giveOutput, resume, setResult } from './end-call'
import { popFrame, topFrame } from './frames'
import { setReturnData } from './return-data'
import { isTraced, traceEnd } from './tracing'

export function finishFrame(frame: usize, ended: i32): void {
  const creates = load<u32>(frame, FRAME_KIND) >= <u32>KIND_CREATE
  const status = creates && ended == STATUS_RETURN ? deploy(frame) : ended
  if (status != STATUS_RETURN) {
    revertJournal(load<u32>(frame, FRAME_JOURNAL_MARK))
    revertLogs(load<u32>(frame, FRAME_LOG_MARK))
    setRefund(load<i64>(frame, FRAME_REFUND_MARK))
  }
  if (status == STATUS_HALT) {
    store<u32>(frame, 0, FRAME_RETURN_LENGTH)
    store<i64>(frame, 0, FRAME_GAS)
  }
  const output = <usize>load<u32>(frame, FRAME_RETURN)
  const outputLength = load<u32>(frame, FRAME_RETURN_LENGTH)
  const gas = load<i64>(frame, FRAME_GAS)
  if (isTraced()) traceEnd(status, load<u32>(frame, FRAME_HALT), load<i64>(frame, FRAME_GAS_LIMIT) - gas, output, outputLength)
  popFrame()
  if (frame == FRAMES) return finishOutermost(frame, status, creates)
  setReturnData(output, creates && status == STATUS_RETURN ? 0 : outputLength)
  if (!creates) giveOutput(load<u32>(frame, FRAME_OUTPUT), load<u32>(frame, FRAME_OUTPUT_LENGTH))
  resume(<u64>(status == STATUS_RETURN), gas)
  if (creates && status == STATUS_RETURN) pushCreated(load<u32>(frame, FRAME_ACCOUNT))
}

function pushCreated(account: usize): void {
  const caller = topFrame()
  setAddressWord(<usize>load<u32>(caller, FRAME_SP) - 32, account)
}

function finishOutermost(frame: usize, status: i32, creates: bool): void {
  setResult(status, load<u32>(frame, FRAME_HALT), load<i64>(frame, FRAME_GAS))
  store<u32>(CONTEXT, load<u32>(frame, FRAME_RETURN), RESULT_OUTPUT)
  store<u32>(CONTEXT, load<u32>(frame, FRAME_RETURN_LENGTH), RESULT_OUTPUT_LENGTH)
  store<u32>(CONTEXT, load<u32>(frame, FRAME_HALT_OPCODE), RESULT_HALT_OPCODE)
  store<u32>(CONTEXT, load<u32>(frame, FRAME_HALT_AMOUNT), RESULT_HALT_AMOUNT)
  if (creates) copyAddress(CONTEXT + RESULT_CREATED, load<u32>(frame, FRAME_ACCOUNT))
}
