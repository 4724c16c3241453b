/** Arguments are addresses in WebAssembly memory. Results may replace operands. */
export interface CurveArithmetic {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly elementBytes: number
  readonly groups: readonly [GroupOperations, GroupOperations]
  /** The memory is never freed. */
  allocate(bytes: number): number
  /** Reads `fieldBytes` big-endian bytes, a number below the modulus. */
  readElement(z: number, bytes: number): void
  /** Writes `fieldBytes` big-endian bytes. */
  writeElement(bytes: number, x: number): void
  negate(z: number, x: number): void
  multiply(z: number, x: number, y: number): void
  multiply2(z: number, x: number, y: number): void
  readonly pairing: PairingOperations
}

/** Points in Jacobian coordinates. */
export interface GroupOperations {
  readonly degree: 1 | 2
  isZero(x: number): number
  isOnCurve(x: number): number
  isEqual(x: number, y: number): number
  normalize(z: number, x: number): void
  double(z: number, x: number): void
  add(z: number, x: number, y: number): void
  subtract(z: number, x: number, y: number): void
}

/** Elements of the target field have 12 times `elementBytes`. */
export interface PairingOperations {
  setOne(z: number): void
  multiply(z: number, x: number, y: number): void
  /** Takes at most 128 pairs of affine points, none at infinity. */
  millerLoop(z: number, first: number, second: number, count: number): void
  /** Returns whether the final exponentiation gives one. May change x. */
  isExponentiatedOne(x: number): number
}

export const MAX_MILLER_PAIRS = 128
