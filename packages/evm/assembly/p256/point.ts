/** Jacobian points of secp256r1, where z is zero at infinity; formulas: explicit-formulas database, shortw-jacobian-3. */
import { add, addLoosely, copyElement, ELEMENT, isZero, multiply, square, subtract, subtractLoosely } from './field'

export const POINT: usize = 3 * ELEMENT
const Y: usize = ELEMENT
const Z: usize = 2 * ELEMENT

const ROOM: usize = memory.data(12 * 48, 16)
const A: usize = ROOM
const B: usize = ROOM + ELEMENT
const C: usize = ROOM + 2 * ELEMENT
const D: usize = ROOM + 3 * ELEMENT
const E: usize = ROOM + 4 * ELEMENT
const F: usize = ROOM + 5 * ELEMENT
const NEGATIVE: usize = ROOM + 8 * ELEMENT
const ZERO: usize = ROOM + 11 * ELEMENT

const CONSTANT: usize = memory.data<u32>([0x1897bbfb, 0x1cdf6229, 0x18486c4, 0x1732821, 0x1dad59e0, 0xabf7212, 0x1a06d110, 0x17721d20, 0x8600c3, 0, 0, 0], 16)
export const ONE: usize = memory.data<u32>([0x20, 0x0, 0x0, 0x1fffc000, 0x1fffffff, 0x1fffffff, 0x1f7fffff, 0x3ffffff, 0x0, 0, 0, 0], 16)
export const BASE: usize = memory.data<u32>([0x15228783, 0x730d418, 0xdb00bcf, 0x57f11fb, 0xa20eb75, 0x12b77622, 0x330fdb9, 0x1af4dd57, 0x120bee, 0, 0, 0, 0x12aac150, 0x125357ce, 0xf22e6ef, 0xe390e86, 0x64b1695, 0x88dd21f, 0x2a97443, 0x2962176, 0xae3fe3, 0, 0, 0, 0x20, 0x0, 0x0, 0x1fffc000, 0x1fffffff, 0x1fffffff, 0x1f7fffff, 0x3ffffff, 0x0, 0, 0, 0], 16)

export function isOnCurve(x: usize): bool {
  square(A, x + Y)
  square(B, x)
  multiply(B, B, x)
  for (let i = 0; i < 3; i++) subtract(B, B, x)
  add(B, B, CONSTANT)
  subtract(A, A, B)
  return isZero(A)
}

export function copyPoint(z: usize, x: usize): void {
  memory.copy(z, x, POINT)
}

export function isInfinity(x: usize): bool {
  return isZero(x + Z)
}

export function doublePoint(z: usize, x: usize): void {
  square(A, x + Z)
  square(B, x + Y)
  subtractLoosely(C, x, A)
  add(D, x, A)
  multiply(C, C, D)
  add(D, C, C)
  add(C, C, D)
  addLoosely(B, B, B)
  multiply(D, x, B)
  add(D, D, D)
  addLoosely(E, x + Y, x + Y)
  multiply(z + Z, E, x + Z)
  square(E, C)
  subtract(E, E, D)
  subtract(z, E, D)
  square(B, B)
  add(B, B, B)
  subtractLoosely(D, D, z)
  multiply(C, C, D)
  subtract(z + Y, C, B)
}

/** z += x, or z -= x; if `affine`, the coordinate z of x is one. */
export function addPoint(z: usize, x: usize, affine: bool, negative: bool): void {
  let y = x + Y
  if (negative) {
    subtract(NEGATIVE, ZERO, y)
    y = NEGATIVE
  }
  if (isInfinity(z)) {
    copyElement(z, x)
    copyElement(z + Y, y)
    copyElement(z + Z, x + Z)
    return
  }
  if (!affine && isInfinity(x)) return
  square(A, z + Z)
  multiply(B, x, A)
  multiply(A, A, z + Z)
  multiply(C, y, A)
  let u = z
  let s = z + Y
  if (!affine) {
    square(A, x + Z)
    multiply(D, z, A)
    multiply(A, A, x + Z)
    multiply(E, z + Y, A)
    multiply(z + Z, z + Z, x + Z)
    u = D
    s = E
  }
  subtract(B, B, u)
  subtract(C, C, s)
  if (isZero(B)) {
    addOnSameLine(z, x, y, isZero(C))
    return
  }
  multiply(z + Z, z + Z, B)
  square(A, B)
  multiply(B, B, A)
  multiply(A, A, u)
  multiply(E, B, s)
  square(F, C)
  subtract(F, F, B)
  subtract(F, F, A)
  subtract(z, F, A)
  subtractLoosely(A, A, z)
  multiply(A, A, C)
  subtract(z + Y, A, E)
}

function addOnSameLine(z: usize, x: usize, y: usize, same: bool): void {
  if (!same) {
    copyElement(z + Z, ZERO)
    return
  }
  copyElement(z, x)
  copyElement(z + Y, y)
  copyElement(z + Z, x + Z)
  doublePoint(z, z)
}
