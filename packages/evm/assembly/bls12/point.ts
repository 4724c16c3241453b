/** Jacobian points of y^2 = x^3 + b, where z is zero at infinity; formulas: explicit-formulas database, shortw-jacobian-0. */
import { copied, minus, plus, plusLoosely, size, squared, times, vanishes } from './coordinate'
import { add, copyElement, ELEMENT, invert, ONE } from './field'
import { invert2 } from './fp2'

const ROOM: usize = memory.data(8 * 128, 16)
const A: usize = ROOM
const B: usize = ROOM + 128
const C: usize = ROOM + 256
const D: usize = ROOM + 384
const E: usize = ROOM + 512
const F: usize = ROOM + 640
const NEGATIVE: usize = ROOM + 768
export const ZERO2: usize = ROOM + 896

const CONSTANT: usize = memory.data(128, 16)
const CONSTANT2: usize = memory.data(128, 16)
export const ONE2: usize = memory.data(128, 16)

export function preparePoints(): void {
  copyElement(ONE2, ONE)
  add(CONSTANT, ONE, ONE)
  add(CONSTANT, CONSTANT, CONSTANT)
  copyElement(CONSTANT2, CONSTANT)
  copyElement(CONSTANT2 + ELEMENT, CONSTANT)
}

// @ts-ignore: decorator
@inline
export function isInfinityOf(degree: i32, x: usize): bool {
  return vanishes(degree, x + 2 * size(degree))
}

/** The point must be affine. */
// @ts-ignore: decorator
@inline
export function isOnCurveOf(degree: i32, x: usize): bool {
  squared(degree, A, x + size(degree))
  squared(degree, B, x)
  times(degree, B, B, x)
  plus(degree, B, B, degree == 1 ? CONSTANT : CONSTANT2)
  minus(degree, A, A, B)
  return vanishes(degree, A)
}

// @ts-ignore: decorator
@inline
export function doublePointOf(degree: i32, z: usize, x: usize): void {
  const y = size(degree)
  plusLoosely(degree, D, x + y, x + y)
  times(degree, z + 2 * y, D, x + 2 * y)
  squared(degree, A, x)
  squared(degree, B, x + y)
  times(degree, D, x, B)
  plus(degree, D, D, D)
  plus(degree, D, D, D)
  plus(degree, E, A, A)
  plus(degree, E, E, A)
  squared(degree, F, E)
  minus(degree, F, F, D)
  minus(degree, z, F, D)
  minus(degree, D, D, z)
  times(degree, D, E, D)
  plus(degree, B, B, B)
  squared(degree, C, B)
  plus(degree, C, C, C)
  minus(degree, z + y, D, C)
}

/** z = a + b or a - b; z may be a or b. */
// @ts-ignore: decorator
@inline
export function addPointOf(degree: i32, z: usize, a: usize, b: usize, negative: bool): void {
  const width = size(degree)
  let y = b + width
  if (negative) {
    minus(degree, NEGATIVE, ZERO2, y)
    y = NEGATIVE
  }
  if (isInfinityOf(degree, a)) {
    copied(degree, NEGATIVE, y)
    copied(degree, z, b)
    copied(degree, z + 2 * width, b + 2 * width)
    copied(degree, z + width, NEGATIVE)
    return
  }
  if (isInfinityOf(degree, b)) {
    memory.copy(z, a, 3 * width)
    return
  }
  squared(degree, A, a + 2 * width)
  times(degree, B, b, A)
  times(degree, A, A, a + 2 * width)
  times(degree, C, y, A)
  let u = a
  let s = a + width
  if (!isOne(b + 2 * width, width)) {
    squared(degree, A, b + 2 * width)
    times(degree, D, a, A)
    times(degree, A, A, b + 2 * width)
    times(degree, E, a + width, A)
    times(degree, F, a + 2 * width, b + 2 * width)
    u = D
    s = E
  } else {
    copied(degree, F, a + 2 * width)
  }
  minus(degree, B, B, u)
  minus(degree, C, C, s)
  if (vanishes(degree, B)) {
    const same = vanishes(degree, C)
    if (same) doublePointOf(degree, z, a)
    else memory.fill(z, 0, 3 * width)
    return
  }
  times(degree, z + 2 * width, F, B)
  squared(degree, A, B)
  times(degree, B, B, A)
  times(degree, A, A, u)
  times(degree, E, B, s)
  squared(degree, F, C)
  minus(degree, F, F, B)
  minus(degree, F, F, A)
  minus(degree, z, F, A)
  minus(degree, A, A, z)
  times(degree, A, A, C)
  minus(degree, z + width, A, E)
}

function isOne(x: usize, bytes: usize): bool {
  for (let i: usize = 0; i < bytes; i += 8) if (load<u64>(x + i) != load<u64>(ONE2 + i)) return false
  return true
}

// @ts-ignore: decorator
@inline
export function isEqualOf(degree: i32, a: usize, b: usize): bool {
  const width = size(degree)
  if (isInfinityOf(degree, a)) return isInfinityOf(degree, b)
  if (isInfinityOf(degree, b)) return false
  squared(degree, A, a + 2 * width)
  squared(degree, B, b + 2 * width)
  times(degree, C, a, B)
  times(degree, D, b, A)
  minus(degree, C, C, D)
  if (!vanishes(degree, C)) return false
  times(degree, A, A, a + 2 * width)
  times(degree, B, B, b + 2 * width)
  times(degree, C, a + width, B)
  times(degree, D, b + width, A)
  minus(degree, C, C, D)
  return vanishes(degree, C)
}

// @ts-ignore: decorator
@inline
export function normalizeOf(degree: i32, z: usize, x: usize): void {
  const width = size(degree)
  if (isInfinityOf(degree, x)) {
    memory.fill(z, 0, 3 * width)
    return
  }
  if (degree == 1) invert(A, x + 2 * width)
  else invert2(A, x + 2 * width)
  squared(degree, B, A)
  times(degree, z, x, B)
  times(degree, B, B, A)
  times(degree, z + width, x + width, B)
  copied(degree, z + 2 * width, ONE2)
}
