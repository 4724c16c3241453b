/** Binary extended Euclidean algorithm on six 64-bit words (Knuth, TAOCP volume 2, section 4.5.2). */
import { makeCanonical } from './field'
import { limb, put } from './limbs'
import { multiply } from './multiply'

const WORDS: usize = 6
const BYTES: usize = 48
const MODULUS_WORDS: usize = memory.data<u64>([0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624, 0x64774b84f38512bf, 0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a], 16)
/** R^3, which turns the inverse of x R into the inverse of x times R. */
const CUBED_RADIX: usize = memory.data<u32>([0x1f7b890, 0x294cc4d, 0x9f3af22, 0xb5ba56c, 0xcb5c0cc, 0xc0d975c, 0xc89a8c5, 0x6c968b4, 0x22672ea, 0x91de8c9, 0x35652a6, 0x84977c8, 0x424bbb9, 0x141ab, 0, 0], 16)

const U: usize = memory.data(48, 16)
const V: usize = memory.data(48, 16)
const FACTOR_U: usize = memory.data(48, 16)
const FACTOR_V: usize = memory.data(48, 16)
const CANONICAL: usize = memory.data(64, 16)

/** Returns zero for zero; the time depends on the value. */
export function invert(z: usize, x: usize): void {
  makeCanonical(CANONICAL, x)
  pack(U, CANONICAL)
  memory.copy(V, MODULUS_WORDS, BYTES)
  memory.fill(FACTOR_U, 0, BYTES)
  memory.fill(FACTOR_V, 0, BYTES)
  store<u64>(FACTOR_U, 1)
  if (isSmall(U, 0)) {
    memory.fill(z, 0, 64)
    return
  }
  while (!isSmall(U, 1) && !isSmall(V, 1)) {
    halveWhileEven(U, FACTOR_U)
    halveWhileEven(V, FACTOR_V)
    if (isLess(U, V)) {
      subtractWords(V, U)
      subtractModulo(FACTOR_V, FACTOR_U)
    } else {
      subtractWords(U, V)
      subtractModulo(FACTOR_U, FACTOR_V)
    }
  }
  unpack(z, isSmall(U, 1) ? FACTOR_U : FACTOR_V)
  multiply(z, z, CUBED_RADIX)
}

function halveWhileEven(value: usize, factor: usize): void {
  while ((load<u64>(value) & 1) == 0) {
    halve(value)
    if (load<u64>(factor) & 1) addWords(factor, MODULUS_WORDS)
    halve(factor)
  }
}

function halve(a: usize): void {
  for (let i: usize = 0; i < BYTES - 8; i += 8) store<u64>(a + i, (load<u64>(a + i) >> 1) | (load<u64>(a + i, 8) << 63))
  store<u64>(a, load<u64>(a, 40) >> 1, 40)
}

function addWords(a: usize, b: usize): void {
  let carry: u64 = 0
  for (let i: usize = 0; i < BYTES; i += 8) {
    const first = load<u64>(a + i)
    const sum = first + load<u64>(b + i)
    const total = sum + carry
    carry = u64(sum < first) | u64(total < sum)
    store<u64>(a + i, total)
  }
}

function subtractWords(a: usize, b: usize): u64 {
  let borrow: u64 = 0
  for (let i: usize = 0; i < BYTES; i += 8) {
    const first = load<u64>(a + i)
    const second = load<u64>(b + i)
    const difference = first - second
    store<u64>(a + i, difference - borrow)
    borrow = u64(first < second) | u64(difference < borrow)
  }
  return borrow
}

function subtractModulo(a: usize, b: usize): void {
  if (subtractWords(a, b) != 0) addWords(a, MODULUS_WORDS)
}

function isLess(a: usize, b: usize): bool {
  for (let i: usize = BYTES; i > 0; i -= 8) {
    const first = load<u64>(a + i - 8)
    const second = load<u64>(b + i - 8)
    if (first != second) return first < second
  }
  return false
}

function isSmall(a: usize, value: u64): bool {
  let rest: u64 = load<u64>(a) ^ value
  for (let i: usize = 8; i < BYTES; i += 8) rest |= load<u64>(a + i)
  return rest == 0
}

function pack(words: usize, x: usize): void {
  for (let i: usize = 0; i < WORDS; i++) {
    const bit: usize = 64 * i
    const first = bit / 28
    let value = limb(x, first) >> <u64>(bit % 28)
    let filled = 28 - (bit % 28)
    for (let j = first + 1; filled < 64 && j < 14; j++) {
      value |= limb(x, j) << <u64>filled
      filled += 28
    }
    store<u64>(words + (i << 3), value)
  }
}

function unpack(z: usize, words: usize): void {
  for (let i: usize = 0; i < 14; i++) {
    const bit: usize = 28 * i
    const at = words + ((bit >> 6) << 3)
    let value = load<u64>(at) >> <u64>(bit & 63)
    if ((bit & 63) > 36 && at + 8 < words + BYTES) value |= load<u64>(at, 8) << <u64>(64 - (bit & 63))
    put(z, i, <u64>value)
  }
  store<u64>(z, 0, 56)
}
