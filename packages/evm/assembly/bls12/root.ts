/** Square roots of fractions, with one power in the field and two in its extension. */
import { add, copyElement, ELEMENT, invert, isZero, multiply, ONE, square, subtract, ZERO } from './field'
import { conjugate2, multiply2 } from './fp2'

/** (p - 3) / 4 */
const EXPONENT: usize = memory.data<u8>([0x6, 0x80, 0x44, 0x7a, 0x8e, 0x5f, 0xf9, 0xa6, 0x92, 0xc6, 0xe9, 0xed, 0x90, 0xd2, 0xeb, 0x35, 0xd9, 0x1d, 0xd2, 0xe1, 0x3c, 0xe1, 0x44, 0xaf, 0xd9, 0xcc, 0x34, 0xa8, 0x3d, 0xac, 0x3d, 0x89, 0x7, 0xaa, 0xff, 0xff, 0xac, 0x54, 0xff, 0xff, 0xee, 0x7f, 0xbf, 0xff, 0xff, 0xff, 0xea, 0xaa])
const EXPONENT_BYTES: usize = 48
const POWERS: usize = memory.data(16 * 64, 16)
const HALF: usize = memory.data(64, 16)
const ROOM: usize = memory.data(8 * 64, 16)
const A: usize = ROOM
const B: usize = ROOM + ELEMENT
const C: usize = ROOM + 2 * ELEMENT
const D: usize = ROOM + 3 * ELEMENT
const E: usize = ROOM + 4 * ELEMENT
const NORM: usize = ROOM + 5 * ELEMENT
const S: usize = ROOM + 6 * ELEMENT
const IMAGINARY: usize = S + ELEMENT

export function prepareRoots(): void {
  add(HALF, ONE, ONE)
  invert(HALF, HALF)
  copyElement(POWERS, ONE)
}

/** z = x^((p - 3) / 4), four bits a step. */
function power(z: usize, x: usize): void {
  copyElement(POWERS + ELEMENT, x)
  for (let i: usize = 2; i < 16; i++) multiply(POWERS + i * ELEMENT, POWERS + (i - 1) * ELEMENT, x)
  copyElement(z, ONE)
  for (let i: usize = 0; i < 2 * EXPONENT_BYTES; i++) {
    const byte = <usize>load<u8>(EXPONENT + (i >> 1))
    const digit = i & 1 ? byte & 15 : byte >> 4
    for (let j = 0; j < 4; j++) square(z, z)
    if (digit != 0) multiply(z, z, POWERS + digit * ELEMENT)
  }
}

/** z = y with y^2 v = u or y^2 v = -u; returns true for the first. z must be no operand. */
function rootOfEither(z: usize, u: usize, v: usize): bool {
  square(A, v)
  multiply(B, u, v)
  multiply(A, A, B)
  power(z, A)
  multiply(z, z, B)
  return isRoot(z, u, v)
}

function isRoot(z: usize, u: usize, v: usize): bool {
  square(A, z)
  multiply(A, A, v)
  subtract(A, A, u)
  return isZero(A)
}

/** The root of u / v, or else of factor * u / v, where `root` is the root of -factor; RFC 9380, appendix F.2.1.2. */
export function rootOfRatio(z: usize, u: usize, v: usize, root: usize): bool {
  if (rootOfEither(z, u, v)) return true
  multiply(z, z, root)
  return false
}

/**
 * The same in the extension, where `root` is the root of minus the norm of `factor`. With u / v = s / n for s = u conjugate(v) and
 * the norm n of v, t^2 = norm(s) and d = (real part of s + t) / 2, the root has the parts y and s' / (2 n y) for y^2 = d / n.
 */
export function rootOfRatio2(z: usize, u: usize, v: usize, factor: usize, root: usize): bool {
  conjugate2(S, v)
  multiply2(S, u, S)
  norm(NORM, v)
  norm(C, S)
  power(D, C)
  multiply(D, D, C)
  const isSquare = isRoot(D, C, ONE)
  if (!isSquare) {
    multiply2(S, S, factor)
    multiply(D, D, root)
  }
  add(C, S, D)
  if (isZero(C)) subtract(C, S, D)
  multiply(D, C, HALF)
  square(C, NORM)
  multiply(C, C, NORM)
  multiply(C, C, D)
  power(E, C)
  multiply(E, E, NORM)
  multiply(C, IMAGINARY, E)
  multiply(C, C, HALF)
  multiply(E, E, D)
  if (isRoot(E, D, NORM)) {
    copyElement(z, E)
    copyElement(z + ELEMENT, C)
  } else {
    // y^2 = -d / n, so y is the imaginary part.
    subtract(z, ZERO, C)
    copyElement(z + ELEMENT, E)
  }
  return isSquare
}

function norm(z: usize, x: usize): void {
  square(A, x)
  square(B, x + ELEMENT)
  add(z, A, B)
}
