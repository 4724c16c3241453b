/** Big-endian coordinates in slots, zeros for the point at infinity. */
import type { BlsCurvePair } from '@noble/curves/abstract/bls.js'
import type { Fp2 } from '@noble/curves/abstract/tower.js'
import type { WeierstrassPoint, WeierstrassPointCons } from '@noble/curves/abstract/weierstrass.js'
import { bigintToBytes, bytesToBigint, concatBytes } from '../bytes.ts'

const SCALAR_BYTES = 32

export interface PureCurveShape {
  readonly curve: BlsCurvePair
  /** Bytes per coordinate, including leading zeros. */
  readonly slotBytes: number
  /** Whether the imaginary part of an extension field element comes first. */
  readonly imaginaryFirst: boolean
}

export interface PureGroup<T> {
  readonly bytes: number
  readonly Point: WeierstrassPointCons<T>
  /** Null for anything but a point on the curve. */
  read(input: Uint8Array, from: number): WeierstrassPoint<T> | null
  write(point: WeierstrassPoint<T>): Uint8Array
}

export class PurePairingCurve {
  readonly g1: PureGroup<bigint>
  readonly g2: PureGroup<Fp2>
  readonly #shape: PureCurveShape

  constructor(shape: PureCurveShape) {
    this.#shape = shape
    const { G1, G2 } = shape.curve
    const { imaginaryFirst, slotBytes } = shape
    this.g1 = this.#group(
      G1.Point,
      slotBytes,
      (input, from) => this.field(input, from),
      (value) => [value],
    )
    this.g2 = this.#group(
      G2.Point,
      2 * slotBytes,
      (input, from) => this.extension(input, from),
      ({ c0, c1 }) => (imaginaryFirst ? [c1, c0] : [c0, c1]),
    )
  }

  field(input: Uint8Array, from: number): bigint | null {
    const value = bytesToBigint(input.subarray(from, from + this.#shape.slotBytes))
    return value < this.#shape.curve.fields.Fp.ORDER ? value : null
  }

  extension(input: Uint8Array, from: number): Fp2 | null {
    const [first, second] = [this.field(input, from), this.field(input, from + this.#shape.slotBytes)]
    if (first === null || second === null) return null
    return this.#shape.curve.fields.Fp2.create(this.#shape.imaginaryFirst ? { c0: second, c1: first } : { c0: first, c1: second })
  }

  add<T>({ bytes, read, write }: PureGroup<T>, input: Uint8Array): Uint8Array | null {
    const [a, b] = [read(input, 0), read(input, bytes)]
    return a === null || b === null ? null : write(a.add(b))
  }

  multiply(input: Uint8Array): Uint8Array | null {
    const point = this.g1.read(input, 0)
    return point === null ? null : this.g1.write(this.#product(point, input, this.g1.bytes))
  }

  sumOfProducts<T>({ bytes, Point, read, write }: PureGroup<T>, input: Uint8Array): Uint8Array | null {
    let sum = Point.ZERO
    for (let at = 0; at < input.length; at += bytes + SCALAR_BYTES) {
      const point = read(input, at)
      if (point === null || !isInSubgroup(point)) return null
      sum = sum.add(this.#product(point, input, at + bytes))
    }
    return write(sum)
  }

  pairing(input: Uint8Array): boolean | null {
    const pairs: { g1: WeierstrassPoint<bigint>; g2: WeierstrassPoint<Fp2> }[] = []
    for (let at = 0; at < input.length; at += this.g1.bytes + this.g2.bytes) {
      const [g1, g2] = [this.g1.read(input, at), this.g2.read(input, at + this.g1.bytes)]
      if (g1 === null || g2 === null || !isInSubgroup(g1) || !isInSubgroup(g2)) return null
      if (!g1.is0() && !g2.is0()) pairs.push({ g1, g2 })
    }
    const { Fp12 } = this.#shape.curve.fields
    return Fp12.eql(this.#shape.curve.pairingBatch(pairs), Fp12.ONE)
  }

  #product<T>(point: WeierstrassPoint<T>, input: Uint8Array, scalarAt: number): WeierstrassPoint<T> {
    const scalar = bytesToBigint(input.subarray(scalarAt, scalarAt + SCALAR_BYTES))
    return point.multiplyUnsafe(scalar % this.#shape.curve.fields.Fr.ORDER)
  }

  #group<T>(
    Point: WeierstrassPointCons<T>,
    coordinateBytes: number,
    readCoordinate: (input: Uint8Array, from: number) => T | null,
    slotsOf: (value: T) => readonly bigint[],
  ): PureGroup<T> {
    const bytes = 2 * coordinateBytes
    const encode = (value: T) => slotsOf(value).map((slot) => bigintToBytes(slot, this.#shape.slotBytes))
    return {
      bytes,
      Point,
      read(input, from) {
        if (input.subarray(from, from + bytes).every((byte) => byte === 0)) return Point.ZERO
        const [x, y] = [readCoordinate(input, from), readCoordinate(input, from + coordinateBytes)]
        return x !== null && y !== null && isOnCurve(Point, x, y) ? Point.fromAffine({ x, y }) : null
      },
      write(point) {
        if (point.is0()) return new Uint8Array(bytes)
        const { x, y } = point.toAffine()
        return concatBytes(...encode(x), ...encode(y))
      },
    }
  }
}

function isOnCurve<T>({ CURVE, Fp }: WeierstrassPointCons<T>, x: T, y: T): boolean {
  return Fp.eql(Fp.sqr(y), Fp.add(Fp.mul(Fp.sqr(x), x), CURVE().b))
}

function isInSubgroup<T>(point: WeierstrassPoint<T>): boolean {
  return point.is0() || point.isTorsionFree()
}
