import {
  ACCOUNT_ADDRESS,
  FRAME_ACCOUNT,
  FRAME_MEMORY,
  FRAME_STATIC,
  HALT_WRITE_PROTECTION,
  LOG_ADDRESS,
  LOG_DATA_LENGTH,
  LOG_TOPIC_COUNT,
  LOG_TOPICS,
} from '../../src/wasm/layout'
import { isTraced } from '../calls/tracing'
import { traceLog } from '../host'
import { newLog } from '../state/logs'
import { copyAddress, copyWord } from '../words'
import { refuse } from './halt'
import { expandRange } from './memory'

const DATA_BYTE_GAS: i64 = 8

/** Operands: offset, length, topics; the static gas includes the topics. */
export function opLog(frame: usize, sp: usize, gas: i64, topics: u32): i64 {
  if (load<u32>(frame, FRAME_STATIC)) return refuse(frame, HALT_WRITE_PROTECTION)
  const left = expandRange(frame, sp - 32, sp - 64, gas)
  if (left < 0) return left
  const length = load<u32>(sp - 64)
  const paid = left - DATA_BYTE_GAS * <i64>length
  if (paid < 0) return paid
  const log = newLog(LOG_TOPICS + (topics << 5) + length)
  copyAddress(log + LOG_ADDRESS, <usize>load<u32>(frame, FRAME_ACCOUNT) + ACCOUNT_ADDRESS)
  store<u32>(log, topics, LOG_TOPIC_COUNT)
  store<u32>(log, length, LOG_DATA_LENGTH)
  for (let i: u32 = 0; i < topics; i++) copyWord(log + LOG_TOPICS + (<usize>i << 5), sp - 96 - (<usize>i << 5))
  const data = log + LOG_TOPICS + (<usize>topics << 5)
  if (length != 0) memory.copy(data, <usize>load<u32>(frame, FRAME_MEMORY) + load<u32>(sp - 32), length)
  if (isTraced()) traceLog(log)
  return paid
}
