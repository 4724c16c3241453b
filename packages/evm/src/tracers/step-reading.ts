import { type Bytes20, type Bytes32, bigintToBytes } from '@keelson/primitives'
import type { TraceStep } from '../tracer.ts'

const ADDRESS_MASK = (1n << 160n) - 1n
const MAX_SLICE = 1n << 24n

function stackItem(stack: readonly bigint[], fromTop: number): bigint {
  return stack[stack.length - 1 - fromTop] ?? 0n
}

export function stackWord(stack: readonly bigint[], fromTop: number): Bytes32 {
  return bigintToBytes(stackItem(stack, fromTop), 32)
}

export function stackAddress(stack: readonly bigint[], fromTop: number): Bytes20 {
  return bigintToBytes(stackItem(stack, fromTop) & ADDRESS_MASK, 20)
}

/** Null for an unaffordable range. */
export function memorySlice({ memory }: TraceStep, offset: bigint, length: bigint): Uint8Array | null {
  if (length > MAX_SLICE || (length > 0n && offset > MAX_SLICE)) return null
  const out = new Uint8Array(Number(length))
  if (offset < BigInt(memory.length)) out.set(memory.subarray(Number(offset), Number(offset) + out.length))
  return out
}
