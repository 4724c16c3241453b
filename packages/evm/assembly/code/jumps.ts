/** Finds jump destinations 64 bytes at a time, because untrusted codes may be long. */

const JUMPDEST: u8 = 0x5b
const PUSH1: u8 = 0x60
const PUSH_BITS: u8 = 0xe0
const BLOCK: u32 = 64

// @ts-ignore: decorator
@inline
export function bitmapBytes(codeLength: u32): u32 {
  return ((codeLength >> 6) + 1) << 3
}

/** At least 64 zeros must follow the code. */
export function fillJumps(code: usize, length: u32, bitmap: usize): void {
  let skipped: u32 = 0
  for (let offset: u32 = 0; offset < length; offset += BLOCK) {
    const at = code + offset
    const opcodes: u64 = ~((<u64>1 << skipped) - 1)
    let jumps = maskOf(at, v128.splat<u8>(0xff), v128.splat<u8>(JUMPDEST)) & opcodes
    let pushes = maskOf(at, v128.splat<u8>(PUSH_BITS), v128.splat<u8>(PUSH1)) & opcodes
    skipped = 0
    while (pushes != 0) {
      const push = <u32>ctz(pushes)
      const bytes = <u32>load<u8>(at + push) - PUSH1 + 1
      const end = push + 1 + bytes
      const after: u64 = end >= BLOCK ? 0 : ~((<u64>1 << end) - 1)
      jumps &= ((<u64>1 << push) - 1) | after
      pushes &= after
      if (end > BLOCK) skipped = end - BLOCK
    }
    store<u64>(bitmap + (offset >> 3), jumps)
  }
}

// @ts-ignore: decorator
@inline
function maskOf(at: usize, bits: v128, wanted: v128): u64 {
  const a = <u64>v128.bitmask<u8>(v128.eq<u8>(v128.and(v128.load(at), bits), wanted))
  const b = <u64>v128.bitmask<u8>(v128.eq<u8>(v128.and(v128.load(at, 16), bits), wanted))
  const c = <u64>v128.bitmask<u8>(v128.eq<u8>(v128.and(v128.load(at, 32), bits), wanted))
  const d = <u64>v128.bitmask<u8>(v128.eq<u8>(v128.and(v128.load(at, 48), bits), wanted))
  return (a & 0xffff) | ((b & 0xffff) << 16) | ((c & 0xffff) << 32) | ((d & 0xffff) << 48)
}

// @ts-ignore: decorator
@inline
export function isJump(bitmap: usize, destination: u32): bool {
  return ((load<u8>(bitmap + (destination >> 3)) >> <u8>(destination & 7)) & 1) != 0
}
