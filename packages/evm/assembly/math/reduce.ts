import { divide } from './division'
import { QUOTIENT, WIDE } from './scratch'
import { copyWord, lessThan, putWord } from './word'

/** out = the `count` limbs of WIDE modulo m. */
export function reduceWide(count: i32, m: usize, out: usize): void {
  let used = count
  while (used > 0 && load<u64>(WIDE + (<usize>(used - 1) << 3)) == 0) used--
  if (used == 0) putWord(out, 0, 0, 0, 0)
  else if (used <= 4 && lessThan(WIDE, m)) copyWord(WIDE, out)
  else divide(WIDE, used, m, QUOTIENT, out)
}
