/** Elements a + b i with i^2 = -1. */
import { add, addLoosely, copyElement, ELEMENT, invert, isZero, multiply, product, reduce, square, subtract, subtractLoosely, ZERO } from './field'

export const ELEMENT2: usize = 2 * ELEMENT
const I: usize = ELEMENT

/** 27 columns, padded to an even number. */
const COLUMNS: usize = 28 * 8
const REAL: usize = memory.data(224, 16)
const IMAGINARY: usize = memory.data(224, 16)
const CROSS: usize = memory.data(224, 16)
const SUM_X: usize = memory.data(64, 16)
const SUM_Y: usize = memory.data(64, 16)

export function add2(z: usize, x: usize, y: usize): void {
  add(z, x, y)
  add(z + I, x + I, y + I)
}

export function subtract2(z: usize, x: usize, y: usize): void {
  subtract(z, x, y)
  subtract(z + I, x + I, y + I)
}

// @ts-ignore: decorator
@inline
export function addLoosely2(z: usize, x: usize, y: usize): void {
  addLoosely(z, x, y)
  addLoosely(z + I, x + I, y + I)
}

/** Both factors may be uncarried sums. */
export function multiply2(z: usize, x: usize, y: usize): void {
  addLoosely(SUM_X, x, x + I)
  addLoosely(SUM_Y, y, y + I)
  product(REAL, x, y)
  product(IMAGINARY, x + I, y + I)
  product(CROSS, SUM_X, SUM_Y)
  for (let i: usize = 0; i < COLUMNS; i += 16) {
    const real = v128.load(REAL + i)
    const imaginary = v128.load(IMAGINARY + i)
    v128.store(REAL + i, i64x2.sub(real, imaginary))
    v128.store(CROSS + i, i64x2.sub(v128.load(CROSS + i), i64x2.add(real, imaginary)))
  }
  reduce(z, REAL)
  reduce(z + I, CROSS)
}

export function square2(z: usize, x: usize): void {
  addLoosely(SUM_X, x, x + I)
  subtractLoosely(SUM_Y, x, x + I)
  addLoosely(CROSS, x, x)
  multiply(z + I, CROSS, x + I)
  multiply(z, SUM_X, SUM_Y)
}

export function scale2(z: usize, x: usize, factor: usize): void {
  multiply(z, x, factor)
  multiply(z + I, x + I, factor)
}

export function multiplyByTwist(z: usize, x: usize): void {
  subtract(SUM_X, x, x + I)
  add(z + I, x, x + I)
  copyElement(z, SUM_X)
}

export function negate2(z: usize, x: usize): void {
  subtract(z, ZERO, x)
  subtract(z + I, ZERO, x + I)
}

export function conjugate2(z: usize, x: usize): void {
  copyElement(z, x)
  subtract(z + I, ZERO, x + I)
}

export function copy2(z: usize, x: usize): void {
  copyElement(z, x)
  copyElement(z + I, x + I)
}

export function isZero2(x: usize): bool {
  return isZero(x) && isZero(x + I)
}

export function invert2(z: usize, x: usize): void {
  square(SUM_X, x)
  square(SUM_Y, x + I)
  add(SUM_X, SUM_X, SUM_Y)
  invert(SUM_Y, SUM_X)
  multiply(z, x, SUM_Y)
  multiply(z + I, x + I, SUM_Y)
  subtract(z + I, ZERO, z + I)
}
