/** The simplified SWU map to an isogenous curve, then the isogeny; RFC 9380, sections 6.6.2 and 6.6.3 and appendix F.2. */
import { copied, minus, plus, size, squared, times, vanishes } from './coordinate'
import { ELEMENT, isOdd, isZero } from './field'
import { ONE2, ZERO2 } from './point'
import { rootOfRatio, rootOfRatio2 } from './root'

const ROOM: usize = memory.data(12 * 128, 16)
const T1: usize = ROOM
const T2: usize = ROOM + 128
const T3: usize = ROOM + 2 * 128
const T4: usize = ROOM + 3 * 128
const T5: usize = ROOM + 4 * 128
const T6: usize = ROOM + 5 * 128
const X: usize = ROOM + 6 * 128
const Y: usize = ROOM + 7 * 128
const NUMERATOR: usize = ROOM + 8 * 128
const DENOMINATOR: usize = ROOM + 9 * 128
const NUMERATOR_Y: usize = ROOM + 10 * 128
const DENOMINATOR_Y: usize = ROOM + 11 * 128
const POWERS: usize = memory.data(16 * 128, 16)

// Degrees of the isogenies' polynomials.
const DEGREE_X: usize = 11
const DEGREE_Y: usize = 15
const DEGREE_X2: usize = 3
const DEGREE_Y2: usize = 3

/**
 * Writes a Jacobian point outside the subgroup. Constants: a, b, z, a root, and the coefficients of the isogeny from the highest
 * power: numerator and denominator of x and of y.
 */
// @ts-ignore: decorator
@inline
export function mapOf(degree: i32, point: usize, u: usize, constants: usize): void {
  const width = size(degree)
  const a = constants
  const b = constants + width
  const z = constants + 2 * width
  const root = constants + 3 * width
  squared(degree, T1, u)
  times(degree, T1, T1, z)
  squared(degree, T2, T1)
  plus(degree, T2, T2, T1)
  plus(degree, T3, T2, ONE2)
  times(degree, T3, T3, b)
  if (vanishes(degree, T2)) copied(degree, T4, z)
  else minus(degree, T4, ZERO2, T2)
  times(degree, T4, T4, a)
  squared(degree, T2, T3)
  squared(degree, T6, T4)
  times(degree, T5, T6, a)
  plus(degree, T2, T2, T5)
  times(degree, T2, T2, T3)
  times(degree, T6, T6, T4)
  times(degree, T5, T6, b)
  plus(degree, T2, T2, T5)
  if (degree == 1 ? rootOfRatio(Y, T2, T6, root) : rootOfRatio2(Y, T2, T6, z, root)) copied(degree, X, T3)
  else {
    times(degree, X, T1, T3)
    times(degree, T5, T1, u)
    times(degree, Y, Y, T5)
  }
  if (sign(degree, u) != sign(degree, Y)) minus(degree, Y, ZERO2, Y)
  applyIsogeny(degree, point, constants + 4 * width)
}

/** RFC 9380, section 4.1. */
// @ts-ignore: decorator
@inline
function sign(degree: i32, x: usize): bool {
  return degree == 1 || !isZero(x) ? isOdd(x) : isOdd(x + ELEMENT)
}

/** The point is (X / T4, Y). */
// @ts-ignore: decorator
@inline
function applyIsogeny(degree: i32, point: usize, coefficients: usize): void {
  const width = size(degree)
  const degreeX = degree == 1 ? DEGREE_X : DEGREE_X2
  const degreeY = degree == 1 ? DEGREE_Y : DEGREE_Y2
  copied(degree, POWERS, ONE2)
  for (let i: usize = 1; i <= degreeY; i++) times(degree, POWERS + i * width, POWERS + (i - 1) * width, T4)
  evaluate(degree, NUMERATOR, coefficients, degreeX)
  coefficients += (degreeX + 1) * width
  evaluate(degree, DENOMINATOR, coefficients, degreeX - 1)
  times(degree, DENOMINATOR, DENOMINATOR, T4)
  coefficients += degreeX * width
  evaluate(degree, NUMERATOR_Y, coefficients, degreeY)
  coefficients += (degreeY + 1) * width
  evaluate(degree, DENOMINATOR_Y, coefficients, degreeY)
  const z = point + 2 * width
  times(degree, z, DENOMINATOR, DENOMINATOR_Y)
  times(degree, T1, z, DENOMINATOR_Y)
  times(degree, point, NUMERATOR, T1)
  times(degree, Y, Y, NUMERATOR_Y)
  times(degree, Y, Y, T1)
  squared(degree, T1, DENOMINATOR)
  times(degree, point + width, Y, T1)
}

/** The polynomial's value at X / T4, times T4^count. */
// @ts-ignore: decorator
@inline
function evaluate(degree: i32, value: usize, coefficients: usize, count: usize): void {
  const width = size(degree)
  copied(degree, value, coefficients)
  for (let i: usize = 1; i <= count; i++) {
    times(degree, value, value, X)
    times(degree, T1, coefficients + i * width, POWERS + i * width)
    plus(degree, value, value, T1)
  }
}
