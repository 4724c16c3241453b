/** The frames of the running call tree, one after the other. */
import {
  CODE_PINS,
  FRAME_BYTES,
  FRAME_CODE,
  FRAME_CODE_ENTRY,
  FRAME_DEPTH,
  FRAME_MEMORY,
  FRAME_MEMORY_BYTES,
  FRAME_SP,
  FRAMES,
  MEMORY,
  STACK,
  MESSAGE_INPUT_LENGTH,
  CONTEXT,
} from '../../src/wasm/layout'

/** Address of the running frame; below FRAMES when there is none. */
let top: usize = FRAMES - FRAME_BYTES

// @ts-ignore: decorator
@inline
export function topFrame(): usize {
  return top
}

// @ts-ignore: decorator
@inline
export function hasFrames(): bool {
  return <i32>top >= FRAMES
}

// @ts-ignore: decorator
@inline
export function nextDepth(): u32 {
  return hasFrames() ? load<u32>(top, FRAME_DEPTH) + 1 : 0
}

/** Where the stack of a callee begins. */
// @ts-ignore: decorator
@inline
export function nextStack(): usize {
  return hasFrames() ? <usize>load<u32>(top, FRAME_SP) : STACK
}

/** Where a callee may keep its memory: behind the caller's, or behind the call data of the outermost call. */
// @ts-ignore: decorator
@inline
export function nextMemory(): usize {
  const end = hasFrames()
    ? <usize>load<u32>(top, FRAME_MEMORY) + load<u32>(top, FRAME_MEMORY_BYTES)
    : MEMORY + <usize>load<u32>(CONTEXT, MESSAGE_INPUT_LENGTH)
  return (end + 63) & ~63
}

/** The caller has filled the record behind the last frame. */
// @ts-ignore: decorator
@inline
export function pushFrame(): usize {
  top += FRAME_BYTES
  return top
}

export function popFrame(): void {
  const code = <usize>load<u32>(top, FRAME_CODE_ENTRY)
  if (code != 0) store<u32>(code, load<u32>(code, CODE_PINS) - 1, CODE_PINS)
  top -= FRAME_BYTES
}

/** Drops the frames of a call that a host function left by an exception. */
export function dropFrames(): void {
  while (hasFrames()) popFrame()
}
