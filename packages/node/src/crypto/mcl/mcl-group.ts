/** The operations of one group on points at addresses in mcl's memory. Results may replace operands. */
import { FP_BYTES, type MclModule } from './mcl-module.ts'

export interface MclGroup {
  readonly pointBytes: number
  /** Field elements per coordinate. */
  readonly degree: 1 | 2
  clear(x: number): void
  isZero(x: number): number
  isOnCurve(x: number): number
  isEqual(x: number, y: number): number
  normalize(z: number, x: number): void
  double(z: number, x: number): void
  add(z: number, x: number, y: number): void
  subtract(z: number, x: number, y: number): void
}

export function firstGroup(mcl: MclModule): MclGroup {
  return {
    pointBytes: 3 * FP_BYTES,
    degree: 1,
    clear: mcl._mclBnG1_clear,
    isZero: mcl._mclBnG1_isZero,
    isOnCurve: mcl._mclBnG1_isValid,
    isEqual: mcl._mclBnG1_isEqual,
    normalize: mcl._mclBnG1_normalize,
    double: mcl._mclBnG1_dbl,
    add: mcl._mclBnG1_add,
    subtract: mcl._mclBnG1_sub,
  }
}

export function secondGroup(mcl: MclModule): MclGroup {
  return {
    pointBytes: 6 * FP_BYTES,
    degree: 2,
    clear: mcl._mclBnG2_clear,
    isZero: mcl._mclBnG2_isZero,
    isOnCurve: mcl._mclBnG2_isValid,
    isEqual: mcl._mclBnG2_isEqual,
    normalize: mcl._mclBnG2_normalize,
    double: mcl._mclBnG2_dbl,
    add: mcl._mclBnG2_add,
    subtract: mcl._mclBnG2_sub,
  }
}
