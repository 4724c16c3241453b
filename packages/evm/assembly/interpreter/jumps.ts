import { CODE_JUMPS_KNOWN, FRAME_CODE, FRAME_CODE_ENTRY, FRAME_CODE_LENGTH, FRAME_JUMPS, FRAME_JUMPS_KNOWN } from '../../src/wasm/layout'
import { fillJumps, isJump } from '../code/jumps'
import { exceeds32 } from '../words'

// @ts-ignore: decorator
@inline
export function canJump(frame: usize, destination: usize): bool {
  if (exceeds32(destination) || load<u32>(destination) >= load<u32>(frame, FRAME_CODE_LENGTH)) return false
  if (!load<u32>(frame, FRAME_JUMPS_KNOWN)) analyseJumps(frame)
  return isJump(load<u32>(frame, FRAME_JUMPS), load<u32>(destination))
}

export function analyseJumps(frame: usize): void {
  const record = <usize>load<u32>(frame, FRAME_CODE_ENTRY)
  if (record == 0 || !load<u32>(record, CODE_JUMPS_KNOWN)) {
    fillJumps(load<u32>(frame, FRAME_CODE), load<u32>(frame, FRAME_CODE_LENGTH), load<u32>(frame, FRAME_JUMPS))
    if (record != 0) store<u32>(record, 1, CODE_JUMPS_KNOWN)
  }
  store<u32>(frame, 1, FRAME_JUMPS_KNOWN)
}
