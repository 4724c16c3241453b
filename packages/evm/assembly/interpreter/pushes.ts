/** The code's padding and block header keep all loads in bounds. */
import { setLimbs } from '../words'

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
