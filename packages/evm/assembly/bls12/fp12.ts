/** Elements of degree 6 over fp2 (v^3 = 1 + i), then of degree 2 (w^2 = v): six coefficients, even powers of w first. */
import { ONE } from './field'
import {
  add2,
  conjugate2,
  copy2,
  ELEMENT2,
  invert2,
  isZero2,
  multiply2,
  multiplyByTwist,
  negate2,
  square2,
  subtract2,
} from './fp2'

export const ELEMENT6: usize = 3 * ELEMENT2
export const ELEMENT12: usize = 2 * ELEMENT6
const V: usize = ELEMENT2
const V2: usize = 2 * ELEMENT2
const W: usize = ELEMENT6

const ROOM6: usize = memory.data(8 * 128, 16)
const T0: usize = ROOM6
const T1: usize = ROOM6 + ELEMENT2
const T2: usize = ROOM6 + 2 * ELEMENT2
const T3: usize = ROOM6 + 3 * ELEMENT2
const T4: usize = ROOM6 + 4 * ELEMENT2
const T5: usize = ROOM6 + 5 * ELEMENT2
const ROOM12: usize = memory.data(6 * 384, 16)
const U0: usize = ROOM12
const U1: usize = ROOM12 + ELEMENT6
const U2: usize = ROOM12 + 2 * ELEMENT6
const U3: usize = ROOM12 + 3 * ELEMENT6
const ROOM_SQUARE: usize = memory.data(8 * 128, 16)

const GAMMA: usize = memory.data<u32>([
  0x347fcb8, 0xd800000, 0x2b119, 0xcde6d2, 0xc7212e0, 0x83a2090, 0x37669f, 0xda0f73e, 0x9b09b42, 0x1297bb0, 0x515d98f, 0x12ca7c, 0x659fcfa, 0x577a, 0, 0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0, 0,
  0x9f1ba38, 0xed52b31, 0x3131f18, 0x932815a, 0x35bde3f, 0x7c4a4df, 0xc6f7465, 0x266b7cc, 0x2acd4ff, 0xcae398d, 0x243b688, 0xa613121, 0x72d376f, 0x1c3e, 0, 0, 0x60df073, 0x11ad4ce, 0xece0a1, 0x6cd69bb, 0x2c8406c, 0x24ac630, 0x2f7bc6d, 0xcd1995f, 0x1ca7685, 0x80c93e9, 0x963ffba, 0x4087390, 0xabd0210, 0x183d2, 0, 0,
  0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0, 0, 0x2421b59, 0xbee4867, 0x1d31002, 0x4760184, 0x4cc5086, 0xc76dc00, 0xaae891b, 0xac70ad2, 0xfe377c4, 0xe4686b8, 0x5ed1568, 0x8f5a180, 0x2b5c1f, 0xd1a4, 0, 0,
  0x33e2f27, 0x32a25aa, 0x27ca1d2, 0xc1e049e, 0xc3f707a, 0x55ca94, 0x2010b7b, 0x3b93794, 0xd5a86aa, 0xa544de3, 0x556a044, 0x9c66da5, 0x38ec515, 0xcea3, 0, 0, 0x33e2f27, 0x32a25aa, 0x27ca1d2, 0xc1e049e, 0xc3f707a, 0x55ca94, 0x2010b7b, 0x3b93794, 0xd5a86aa, 0xa544de3, 0x556a044, 0x9c66da5, 0x38ec515, 0xcea3, 0, 0,
  0x58a1811, 0x96e4867, 0x1d5c11c, 0x543e856, 0x13e6366, 0x4b0fc91, 0xae5efbb, 0x8680210, 0x9941307, 0xf700269, 0xb02eef7, 0x9086bfc, 0x6855919, 0x1291e, 0, 0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0, 0,
  0xd2fe95f, 0x1ff50db, 0x58fc0eb, 0x55085f8, 0xf9b4eba, 0x81a6f73, 0xe707fe0, 0x61fef60, 0x75ba9, 0x7028771, 0x79a56cd, 0x4279ec6, 0xabbfc85, 0xeae1, 0, 0, 0x2cfc14c, 0xdf0af24, 0xe703ece, 0xaaf651c, 0x688cff1, 0x1f4fb9b, 0xf6b0f2, 0x91861cb, 0x46fefdb, 0xdb84605, 0x40d5f75, 0xa4205eb, 0x72e3cfa, 0xb52f, 0, 0,
], 16)

function add6(z: usize, x: usize, y: usize): void {
  for (let i: usize = 0; i < ELEMENT6; i += ELEMENT2) add2(z + i, x + i, y + i)
}

function subtract6(z: usize, x: usize, y: usize): void {
  for (let i: usize = 0; i < ELEMENT6; i += ELEMENT2) subtract2(z + i, x + i, y + i)
}

function negate6(z: usize, x: usize): void {
  for (let i: usize = 0; i < ELEMENT6; i += ELEMENT2) negate2(z + i, x + i)
}

/** Multiplies by v; z must not be x. */
function multiplyByV(z: usize, x: usize): void {
  multiplyByTwist(z, x + V2)
  copy2(z + V, x)
  copy2(z + V2, x + V)
}

function multiply6(z: usize, x: usize, y: usize): void {
  multiply2(T0, x, y)
  multiply2(T1, x + V, y + V)
  multiply2(T2, x + V2, y + V2)
  crossTerm(T3, x + V, x + V2, y + V, y + V2, T1, T2)
  crossTerm(T4, x, x + V, y, y + V, T0, T1)
  crossTerm(T5, x, x + V2, y, y + V2, T0, T2)
  multiplyByTwist(T3, T3)
  add2(z, T0, T3)
  multiplyByTwist(T3, T2)
  add2(z + V, T4, T3)
  add2(z + V2, T5, T1)
}

function crossTerm(z: usize, a: usize, b: usize, c: usize, d: usize, ac: usize, bd: usize): void {
  const first = ROOM6 + 6 * ELEMENT2
  const second = ROOM6 + 7 * ELEMENT2
  add2(first, a, b)
  add2(second, c, d)
  multiply2(z, first, second)
  subtract2(z, z, ac)
  subtract2(z, z, bd)
}

function multiplySparse6(z: usize, x: usize, a: usize, b: usize): void {
  multiply2(T0, x, a)
  multiply2(T1, x + V, b)
  crossTerm(T2, x, x + V, a, b, T0, T1)
  multiply2(T3, x + V2, b)
  multiply2(T4, x + V2, a)
  multiplyByTwist(T3, T3)
  add2(z, T3, T0)
  copy2(z + V, T2)
  add2(z + V2, T4, T1)
}

function invert6(z: usize, x: usize): void {
  square2(T0, x)
  multiply2(T3, x + V, x + V2)
  multiplyByTwist(T3, T3)
  subtract2(T0, T0, T3)
  square2(T1, x + V2)
  multiplyByTwist(T1, T1)
  multiply2(T3, x, x + V)
  subtract2(T1, T1, T3)
  square2(T2, x + V)
  multiply2(T3, x, x + V2)
  subtract2(T2, T2, T3)
  multiply2(T3, x + V2, T1)
  multiply2(T4, x + V, T2)
  add2(T3, T3, T4)
  multiplyByTwist(T3, T3)
  multiply2(T4, x, T0)
  add2(T3, T3, T4)
  invert2(T3, T3)
  multiply2(z, T0, T3)
  multiply2(z + V, T1, T3)
  multiply2(z + V2, T2, T3)
}

export function setOne12(z: usize): void {
  memory.fill(z, 0, ELEMENT12)
  memory.copy(z, ONE, 64)
}

export function copy12(z: usize, x: usize): void {
  memory.copy(z, x, ELEMENT12)
}

export function isOne12(x: usize): bool {
  subtract2(T0, x, ONE_PAIR)
  if (!isZero2(T0)) return false
  for (let i: usize = ELEMENT2; i < ELEMENT12; i += ELEMENT2) if (!isZero2(x + i)) return false
  return true
}

const ONE_PAIR: usize = memory.data(128, 16)

export function prepareTower(): void {
  memory.copy(ONE_PAIR, ONE, 64)
}

export function multiply12(z: usize, x: usize, y: usize): void {
  multiply6(U0, x, y)
  multiply6(U1, x + W, y + W)
  add6(U2, x, x + W)
  add6(U3, y, y + W)
  multiply6(U2, U2, U3)
  subtract6(U2, U2, U0)
  subtract6(z + W, U2, U1)
  multiplyByV(U2, U1)
  add6(z, U0, U2)
}

export function square12(z: usize, x: usize): void {
  multiply6(U0, x, x + W)
  add6(U1, x, x + W)
  multiplyByV(U2, x + W)
  add6(U2, U2, x)
  multiply6(U1, U1, U2)
  subtract6(U1, U1, U0)
  multiplyByV(U2, U0)
  subtract6(z, U1, U2)
  add6(z + W, U0, U0)
}

/** Multiplies by a + b v + c v w, the value of a line. */
export function multiplyByLine(z: usize, a: usize, b: usize, c: usize): void {
  multiplySparse6(U0, z, a, b)
  multiply2(T3, z + W + V2, c)
  multiplyByTwist(U1, T3)
  multiply2(U1 + V, z + W, c)
  multiply2(U1 + V2, z + W + V, c)
  add2(U3, b, c)
  add6(U2, z, z + W)
  multiplySparse6(U2, U2, a, U3)
  subtract6(U2, U2, U0)
  subtract6(z + W, U2, U1)
  multiplyByV(U2, U1)
  add6(z, U0, U2)
}

/** The power p^6, which inverts an element of norm one. */
export function conjugate12(z: usize, x: usize): void {
  if (z != x) memory.copy(z, x, ELEMENT6)
  negate6(z + W, x + W)
}

export function invert12(z: usize, x: usize): void {
  multiply6(U0, x, x)
  multiply6(U1, x + W, x + W)
  multiplyByV(U2, U1)
  subtract6(U0, U0, U2)
  invert6(U1, U0)
  multiply6(z, x, U1)
  multiply6(z + W, x + W, U1)
  negate6(z + W, z + W)
}

export function frobenius12(z: usize, x: usize): void {
  for (let k: usize = 0; k < 6; k++) {
    const at = (k & 1) * W + (k >> 1) * ELEMENT2
    conjugate2(z + at, x + at)
    if (k != 0) multiply2(z + at, z + at, GAMMA + k * ELEMENT2)
  }
}

/** Granger and Scott, eprint 2009/565, for elements whose power p^4 - p^2 + 1 is one. */
export function squareCyclotomic(z: usize, x: usize): void {
  const a = ROOM_SQUARE
  squarePair(a, x, x + W + V)
  squarePair(a + 2 * ELEMENT2, x + W, x + V2)
  squarePair(a + 4 * ELEMENT2, x + V, x + W + V2)
  thriceLessTwice(z, a, x)
  thriceLessTwice(z + V, a + 2 * ELEMENT2, x + V)
  thriceLessTwice(z + V2, a + 4 * ELEMENT2, x + V2)
  multiplyByTwist(a, a + 5 * ELEMENT2)
  thriceAndTwice(z + W, a, x + W)
  thriceAndTwice(z + W + V, a + ELEMENT2, x + W + V)
  thriceAndTwice(z + W + V2, a + 3 * ELEMENT2, x + W + V2)
}

function squarePair(z: usize, a: usize, b: usize): void {
  square2(T0, a)
  square2(T1, b)
  add2(T2, a, b)
  square2(T2, T2)
  subtract2(T2, T2, T0)
  subtract2(z + ELEMENT2, T2, T1)
  multiplyByTwist(T1, T1)
  add2(z, T0, T1)
}

function thriceLessTwice(z: usize, t: usize, x: usize): void {
  subtract2(z, t, x)
  add2(z, z, z)
  add2(z, z, t)
}

function thriceAndTwice(z: usize, t: usize, x: usize): void {
  add2(z, t, x)
  add2(z, z, z)
  add2(z, z, t)
}
