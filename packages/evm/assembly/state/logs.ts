import { LIMIT_LOGS, LOG_BYTES, LOGS } from '../../src/wasm/layout'
import { limit } from '../host'

let top: usize = LOGS

export function clearLogs(): void {
  top = LOGS
}

// @ts-ignore: decorator
@inline
export function logMark(): usize {
  return top
}

// @ts-ignore: decorator
@inline
export function revertLogs(mark: usize): void {
  top = mark
}

export function newLog(bytes: u32): usize {
  const log = top
  if (bytes > <u32>LOG_BYTES || log + bytes > <usize>(LOGS + LOG_BYTES)) limit(LIMIT_LOGS)
  top = log + ((bytes + 7) & ~7)
  return log
}
