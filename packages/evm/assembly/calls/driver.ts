import {
  ACCOUNT_NONCE,
  CONTEXT,
  FRAME_CODE,
  FRAME_CODE_ENTRY,
  FRAME_COMPILED,
  FRAME_PC,
  HOT_CODES,
  HOT_CODES_BAILS,
  KIND_CALL,
  KIND_CALLCODE,
  KIND_CREATE,
  KIND_CREATE2,
  KIND_DELEGATECALL,
  KIND_STATICCALL,
  MEMORY,
  MESSAGE_FROM,
  MESSAGE_GAS,
  MESSAGE_INPUT_LENGTH,
  MESSAGE_KIND,
  MESSAGE_TO,
  MESSAGE_VALUE,
  PARAM_POLL_INTERVAL,
  STATUS_BAIL,
  STATUS_CALL,
  STATUS_FUEL,
  STATUS_HALT,
  STATUS_RETURN,
} from '../../src/wasm/layout'
import { noteEntries } from '../code/heat'
import { poll } from '../host'
import { refuel, takeFuel } from '../interpreter/fuel'
import * as op from '../interpreter/opcodes'
import { Fast, run, Traced } from '../interpreter/run'
import { accountAt, clearAccounts, ensureLoaded } from '../state/accounts'
import { clearJournal } from '../state/journal'
import { clearLogs } from '../state/logs'
import { setRefund } from '../state/refund'
import { clearSlots } from '../state/slots'
import { Call } from './call'
import { warmDelegate } from './call-gas'
import { callOpcode } from './call-opcode'
import { createAddress } from './create-address'
import { createOpcode } from './create-opcode'
import { finishFrame } from './finish-frame'
import { dropFrames, hasFrames, topFrame } from './frames'
import { selfDestruct } from './self-destruct'
import { startCall } from './start-call'
import { startCreation } from './start-creation'
import { tracesSteps } from './tracing'

const LOOP_ENTRIES: u32 = 64

export function execute(): void {
  dropFrames()
  clearAccounts()
  clearSlots()
  clearJournal()
  clearLogs()
  setRefund(0)
  refuel(load<u32>(CONTEXT, PARAM_POLL_INTERVAL))
  startMessage()
  while (hasFrames()) resumeTop()
}

function startMessage(): void {
  const from = accountAt(CONTEXT + MESSAGE_FROM)
  Call.kind = load<u32>(CONTEXT, MESSAGE_KIND)
  Call.gas = load<i64>(CONTEXT, MESSAGE_GAS)
  Call.caller = from
  Call.value = CONTEXT + MESSAGE_VALUE
  Call.isStatic = false
  Call.input = MEMORY
  Call.inputLength = load<u32>(CONTEXT, MESSAGE_INPUT_LENGTH)
  Call.outputLength = 0
  if (Call.kind == KIND_CREATE) {
    ensureLoaded(from)
    startCreation(createAddress(from, load<u64>(from, ACCOUNT_NONCE) - 1), false)
    return
  }
  const to = accountAt(CONTEXT + MESSAGE_TO)
  Call.storageAccount = to
  Call.codeAccount = to
  warmDelegate(to)
  startCall()
}

function resumeTop(): void {
  const frame = topFrame()
  const compiled = load<u32>(frame, FRAME_COMPILED)
  const status = tracesSteps() ? run<Traced>(frame) : compiled != 0 ? call_indirect<i32>(compiled, frame) : run<Fast>(frame)
  switch (status) {
    case STATUS_CALL: {
      if (takeFuel()) askHost()
      performCall(frame)
      break
    }
    case STATUS_BAIL: {
      store<u32>(frame, 0, FRAME_COMPILED)
      store<u32>(HOT_CODES, load<u32>(HOT_CODES, HOT_CODES_BAILS) + 1, HOT_CODES_BAILS)
      break
    }
    case STATUS_FUEL: {
      noteHeat(frame)
      askHost()
      break
    }
    default:
      finishFrame(frame, status)
  }
}

/** Compiled loops count their own jumps; their calls count here. */
function askHost(): void {
  refuel(load<u32>(CONTEXT, PARAM_POLL_INTERVAL))
  poll()
}

function performCall(frame: usize): void {
  const opcode = <u32>load<u8>(<usize>load<u32>(frame, FRAME_CODE) + load<u32>(frame, FRAME_PC))
  let goesOn = true
  switch (opcode) {
    case op.CALL:
      goesOn = callOpcode(frame, KIND_CALL)
      break
    case op.CALLCODE:
      goesOn = callOpcode(frame, KIND_CALLCODE)
      break
    case op.DELEGATECALL:
      goesOn = callOpcode(frame, KIND_DELEGATECALL)
      break
    case op.STATICCALL:
      goesOn = callOpcode(frame, KIND_STATICCALL)
      break
    case op.CREATE:
      goesOn = createOpcode(frame, KIND_CREATE)
      break
    case op.CREATE2:
      goesOn = createOpcode(frame, KIND_CREATE2)
      break
    default:
      return finishFrame(frame, selfDestruct(frame) ? STATUS_RETURN : STATUS_HALT)
  }
  if (!goesOn) finishFrame(frame, STATUS_HALT)
}

function noteHeat(frame: usize): void {
  const record = <usize>load<u32>(frame, FRAME_CODE_ENTRY)
  if (record != 0) noteEntries(record, LOOP_ENTRIES)
}
