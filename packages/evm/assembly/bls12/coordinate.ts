/** Operations on coordinates: elements of the field (degree 1) or of its quadratic extension (degree 2). */
import { add, addLoosely, copyElement, ELEMENT, isZero, multiply, square, subtract } from './field'
import { add2, addLoosely2, copy2, ELEMENT2, isZero2, multiply2, square2, subtract2 } from './fp2'

// @ts-ignore: decorator
@inline
export function size(degree: i32): usize {
  return degree == 1 ? ELEMENT : ELEMENT2
}

// @ts-ignore: decorator
@inline
export function times(degree: i32, z: usize, x: usize, y: usize): void {
  if (degree == 1) multiply(z, x, y)
  else multiply2(z, x, y)
}

// @ts-ignore: decorator
@inline
export function squared(degree: i32, z: usize, x: usize): void {
  if (degree == 1) square(z, x)
  else square2(z, x)
}

// @ts-ignore: decorator
@inline
export function plus(degree: i32, z: usize, x: usize, y: usize): void {
  if (degree == 1) add(z, x, y)
  else add2(z, x, y)
}

// @ts-ignore: decorator
@inline
export function plusLoosely(degree: i32, z: usize, x: usize, y: usize): void {
  if (degree == 1) addLoosely(z, x, y)
  else addLoosely2(z, x, y)
}

// @ts-ignore: decorator
@inline
export function minus(degree: i32, z: usize, x: usize, y: usize): void {
  if (degree == 1) subtract(z, x, y)
  else subtract2(z, x, y)
}

// @ts-ignore: decorator
@inline
export function vanishes(degree: i32, x: usize): bool {
  return degree == 1 ? isZero(x) : isZero2(x)
}

// @ts-ignore: decorator
@inline
export function copied(degree: i32, z: usize, x: usize): void {
  if (degree == 1) copyElement(z, x)
  else copy2(z, x)
}
