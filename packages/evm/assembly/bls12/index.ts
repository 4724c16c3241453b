/** Groups and pairing of BLS12-381; the host reserves memory from `free` on. */
import { prepareField, readElement, writeElement, multiply, subtract, ZERO } from './field'
import { multiply12, prepareTower, setOne12 } from './fp12'
import { multiply2 } from './fp2'
import { mapOf } from './map'
import { isExponentiatedOne, millerLoop } from './pairing'
import { addPointOf, doublePointOf, isEqualOf, isInfinityOf, isOnCurveOf, normalizeOf, preparePoints } from './point'
import { prepareRoots } from './root'

export { isExponentiatedOne, millerLoop, multiply12, setOne12, multiply2, multiply, readElement, writeElement }

export function prepare(): void {
  prepareField()
  prepareTower()
  preparePoints()
  prepareRoots()
}

export function negate(z: usize, x: usize): void {
  subtract(z, ZERO, x)
}

export function isZeroG1(x: usize): bool {
  return isInfinityOf(1, x)
}
export function isZeroG2(x: usize): bool {
  return isInfinityOf(2, x)
}
export function isOnCurveG1(x: usize): bool {
  return isOnCurveOf(1, x)
}
export function isOnCurveG2(x: usize): bool {
  return isOnCurveOf(2, x)
}
export function isEqualG1(x: usize, y: usize): bool {
  return isEqualOf(1, x, y)
}
export function isEqualG2(x: usize, y: usize): bool {
  return isEqualOf(2, x, y)
}
export function normalizeG1(z: usize, x: usize): void {
  normalizeOf(1, z, x)
}
export function normalizeG2(z: usize, x: usize): void {
  normalizeOf(2, z, x)
}
export function doubleG1(z: usize, x: usize): void {
  doublePointOf(1, z, x)
}
export function doubleG2(z: usize, x: usize): void {
  doublePointOf(2, z, x)
}
export function addG1(z: usize, x: usize, y: usize): void {
  addPointOf(1, z, x, y, false)
}
export function addG2(z: usize, x: usize, y: usize): void {
  addPointOf(2, z, x, y, false)
}
export function subtractG1(z: usize, x: usize, y: usize): void {
  addPointOf(1, z, x, y, true)
}
export function subtractG2(z: usize, x: usize, y: usize): void {
  addPointOf(2, z, x, y, true)
}

export function mapToG1(point: usize, u: usize, constants: usize): void {
  mapOf(1, point, u, constants)
}
export function mapToG2(point: usize, u: usize, constants: usize): void {
  mapOf(2, point, u, constants)
}

export function free(): usize {
  return __heap_base
}
