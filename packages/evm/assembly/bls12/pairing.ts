/**
 * Lines: eprint 2009/615 in the Jacobian form of eprint 2010/354; final exponentiation: eprint 2020/875, which gives the cube of
 * the pairing.
 */
import { ELEMENT } from './field'
import { add2, copy2, ELEMENT2, multiply2, negate2, scale2, square2, subtract2 } from './fp2'
import {
  conjugate12,
  copy12,
  ELEMENT12,
  frobenius12,
  invert12,
  isOne12,
  multiply12,
  multiplyByLine,
  setOne12,
  square12,
  squareCyclotomic,
} from './fp12'

/** The absolute value of the curve's negative parameter. */
const SEED: u64 = 0xd201000000010000

const POINT1: usize = 3 * ELEMENT
const POINT2: usize = 3 * ELEMENT2
const MAX_PAIRS: usize = 128

const RUNNING: usize = memory.data(128 * 384, 16)
const ROOM: usize = memory.data(12 * 128, 16)
const A: usize = ROOM
const B: usize = ROOM + ELEMENT2
const C: usize = ROOM + 2 * ELEMENT2
const D: usize = ROOM + 3 * ELEMENT2
const E: usize = ROOM + 4 * ELEMENT2
const F: usize = ROOM + 5 * ELEMENT2
const G: usize = ROOM + 6 * ELEMENT2
const H: usize = ROOM + 7 * ELEMENT2
const LINE_Y: usize = ROOM + 8 * ELEMENT2
const LINE_X: usize = ROOM + 9 * ELEMENT2
const LINE: usize = ROOM + 10 * ELEMENT2

export function maxPairs(): usize {
  return MAX_PAIRS
}

/** Takes at most `maxPairs` affine points, none at infinity. */
export function millerLoop(z: usize, first: usize, second: usize, count: usize): void {
  for (let i: usize = 0; i < count; i++) memory.copy(RUNNING + i * POINT2, second + i * POINT2, POINT2)
  setOne12(z)
  for (let bit = 62; bit >= 0; bit--) {
    if (bit != 62) square12(z, z)
    for (let i: usize = 0; i < count; i++) {
      const point = first + i * POINT1
      const running = RUNNING + i * POINT2
      doubleWithLine(running)
      multiplyByLineAt(z, point)
      if ((SEED >> <u64>bit) & 1) {
        addWithLine(running, second + i * POINT2)
        multiplyByLineAt(z, point)
      }
    }
  }
  conjugate12(z, z)
}

function multiplyByLineAt(z: usize, point: usize): void {
  scale2(LINE_Y, LINE_Y, point + ELEMENT)
  scale2(LINE_X, LINE_X, point)
  multiplyByLine(z, LINE, LINE_X, LINE_Y)
}

function doubleWithLine(r: usize): void {
  const y = r + ELEMENT2
  const z = r + 2 * ELEMENT2
  square2(A, r)
  square2(B, y)
  square2(C, B)
  add2(D, B, r)
  square2(D, D)
  subtract2(D, D, A)
  subtract2(D, D, C)
  add2(D, D, D)
  add2(E, A, A)
  add2(E, E, A)
  add2(G, r, E)
  square2(F, E)
  square2(H, z)
  subtract2(r, F, D)
  subtract2(r, r, D)
  add2(z, z, y)
  square2(z, z)
  subtract2(z, z, B)
  subtract2(z, z, H)
  subtract2(D, D, r)
  multiply2(y, D, E)
  for (let i = 0; i < 3; i++) add2(C, C, C)
  subtract2(y, y, C)
  multiply2(LINE_X, E, H)
  add2(LINE_X, LINE_X, LINE_X)
  negate2(LINE_X, LINE_X)
  square2(G, G)
  subtract2(G, G, A)
  subtract2(G, G, F)
  add2(B, B, B)
  add2(B, B, B)
  subtract2(LINE, G, B)
  multiply2(LINE_Y, z, H)
  add2(LINE_Y, LINE_Y, LINE_Y)
}

function addWithLine(r: usize, q: usize): void {
  const y = r + ELEMENT2
  const z = r + 2 * ELEMENT2
  const qy = q + ELEMENT2
  square2(A, z)
  square2(B, qy)
  multiply2(C, A, q)
  add2(D, qy, z)
  square2(D, D)
  subtract2(D, D, B)
  subtract2(D, D, A)
  multiply2(D, D, A)
  subtract2(E, C, r)
  square2(F, E)
  add2(z, z, E)
  square2(z, z)
  subtract2(z, z, A)
  subtract2(z, z, F)
  add2(F, F, F)
  add2(F, F, F)
  multiply2(E, E, F)
  subtract2(D, D, y)
  subtract2(D, D, y)
  multiply2(LINE, D, q)
  multiply2(F, F, r)
  square2(r, D)
  subtract2(r, r, E)
  subtract2(r, r, F)
  subtract2(r, r, F)
  add2(G, qy, z)
  subtract2(F, F, r)
  multiply2(F, F, D)
  multiply2(E, E, y)
  add2(E, E, E)
  subtract2(y, F, E)
  square2(G, G)
  subtract2(G, G, B)
  square2(H, z)
  subtract2(G, G, H)
  add2(LINE, LINE, LINE)
  subtract2(LINE, LINE, G)
  add2(LINE_Y, z, z)
  add2(LINE_X, D, D)
  negate2(LINE_X, LINE_X)
}

const POWERS: usize = memory.data(8 * 768, 16)

export function isExponentiatedOne(x: usize): bool {
  const f = POWERS
  const t1 = POWERS + ELEMENT12
  const t3 = POWERS + 2 * ELEMENT12
  const t4 = POWERS + 3 * ELEMENT12
  const t5 = POWERS + 4 * ELEMENT12
  const t6 = POWERS + 5 * ELEMENT12
  const t0 = POWERS + 6 * ELEMENT12
  conjugate12(t0, x)
  invert12(t1, x)
  multiply12(t1, t0, t1)
  frobenius12(f, t1)
  frobenius12(f, f)
  multiply12(f, f, t1)
  squareCyclotomic(t1, f)
  conjugate12(t1, t1)
  powerOfSeed(t3, f)
  squareCyclotomic(t4, t3)
  multiply12(t5, t1, t3)
  powerOfSeed(t1, t5)
  powerOfSeed(t0, t1)
  powerOfSeed(t6, t0)
  multiply12(t6, t6, t4)
  powerOfSeed(t4, t6)
  conjugate12(t5, t5)
  multiply12(t5, t5, f)
  multiply12(t4, t4, t5)
  conjugate12(t5, f)
  multiply12(t1, t1, f)
  for (let i = 0; i < 3; i++) frobenius12(t1, t1)
  multiply12(t6, t6, t5)
  frobenius12(t6, t6)
  multiply12(t3, t3, t0)
  frobenius12(t3, t3)
  frobenius12(t3, t3)
  multiply12(t3, t3, t1)
  multiply12(t3, t3, t6)
  multiply12(t3, t3, t4)
  return isOne12(t3)
}

function powerOfSeed(z: usize, x: usize): void {
  copy12(z, x)
  for (let bit = 62; bit >= 0; bit--) {
    squareCyclotomic(z, z)
    if ((SEED >> <u64>bit) & 1) multiply12(z, z, x)
  }
  conjugate12(z, z)
}
