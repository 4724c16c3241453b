/** Bitmaps of jump destinations, filled at the first jump of a code. */

const JUMPDEST: u32 = 0x5b
const PUSH1: u32 = 0x60
const PUSH32: u32 = 0x7f

// @ts-ignore: decorator
@inline
export function bitmapBytes(codeLength: u32): u32 {
  return ((codeLength >> 6) + 1) << 3
}

export function fillJumps(code: usize, length: u32, bitmap: usize): void {
  memory.fill(bitmap, 0, bitmapBytes(length))
  let offset: u32 = 0
  while (offset < length) {
    const opcode = <u32>load<u8>(code + offset)
    if (opcode == JUMPDEST) {
      const at = bitmap + (offset >> 3)
      store<u8>(at, load<u8>(at) | (<u8>1 << <u8>(offset & 7)))
    } else if (opcode >= PUSH1 && opcode <= PUSH32) offset += opcode - PUSH1 + 1
    offset++
  }
}

// @ts-ignore: decorator
@inline
export function isJump(bitmap: usize, destination: u32): bool {
  return ((load<u8>(bitmap + (destination >> 3)) >> (destination & 7)) & 1) != 0
}
