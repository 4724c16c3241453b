/** PUSH1 to PUSH32. The code is padded, so all loads after the opcode are allowed; those before it stay inside the block header. */
import { setLimbs } from '../words'

/** `bytes` is 2 to 32, `pc` the address after the opcode. */
// @ts-ignore: decorator
@inline
export function pushBytes(sp: usize, pc: usize, bytes: u32): void {
  const end = pc + bytes
  if (bytes <= 8) setLimbs(sp, bswap(load<u64>(pc)) >> (64 - (bytes << 3)), 0, 0, 0)
  else if (bytes <= 16) setLimbs(sp, bswap(load<u64>(end - 8)), bswap(load<u64>(pc)) >> (128 - (bytes << 3)), 0, 0)
  else if (bytes <= 24) setLimbs(sp, bswap(load<u64>(end - 8)), bswap(load<u64>(end - 16)), bswap(load<u64>(pc)) >> (192 - (bytes << 3)), 0)
  else {
    const top = bswap(load<u64>(pc)) >> (256 - (bytes << 3))
    setLimbs(sp, bswap(load<u64>(end - 8)), bswap(load<u64>(end - 16)), bswap(load<u64>(end - 24)), top)
  }
}
