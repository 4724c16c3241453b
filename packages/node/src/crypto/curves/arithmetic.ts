/** Arithmetic of one curve on elements and points at addresses in WebAssembly memory. Results may replace operands. */
export interface CurveArithmetic {
  readonly memory: { readonly buffer: ArrayBuffer }
  /** Bytes of an element of the base field in memory. */
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
  /** In the quadratic extension. */
  multiply2(z: number, x: number, y: number): void
  readonly pairing: PairingOperations
}

/** Points in Jacobian coordinates. */
export interface GroupOperations {
  /** Elements of the base field per coordinate. */
  readonly degree: 1 | 2
  isZero(x: number): number
  /** The coordinate z is one. */
  isOnCurve(x: number): number
  isEqual(x: number, y: number): number
  normalize(z: number, x: number): void
  double(z: number, x: number): void
  add(z: number, x: number, y: number): void
  subtract(z: number, x: number, y: number): void
}

/** On elements of the target field, `elementBytes` times 12 each. */
export interface PairingOperations {
  setOne(z: number): void
  multiply(z: number, x: number, y: number): void
  /** Of `count` affine points other than infinity, at most 128. */
  millerLoop(z: number, first: number, second: number, count: number): void
  /** Whether the final exponentiation gives one. May change x. */
  isExponentiatedOne(x: number): number
}

export const MAX_MILLER_PAIRS = 128
