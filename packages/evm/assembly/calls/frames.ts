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

// @ts-ignore: decorator
@inline
export function nextStack(): usize {
  return hasFrames() ? <usize>load<u32>(top, FRAME_SP) : STACK
}

// @ts-ignore: decorator
@inline
export function nextMemory(): usize {
  const end = hasFrames()
    ? <usize>load<u32>(top, FRAME_MEMORY) + load<u32>(top, FRAME_MEMORY_BYTES)
    : MEMORY + <usize>load<u32>(CONTEXT, MESSAGE_INPUT_LENGTH)
  return (end + 63) & ~63
}

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

/** Cleans up after a host function that threw. */
export function dropFrames(): void {
  while (hasFrames()) popFrame()
}
