/** Explains why a pairing precompile refused its input; too slow to decide whether it does. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { type PureCurveShape, type PureGroup, PurePairingCurve } from './pure-pairing-curve.ts'

/** A field element above its bytes or the modulus, or a point beside the curve. Subgroups are not checked. */
export type PointProblem = 'padding' | 'coordinate' | 'curve'

export interface PointProblems {
  element(input: Uint8Array, from: number): PointProblem | null
  g1(input: Uint8Array, from: number): PointProblem | null
  g2(input: Uint8Array, from: number): PointProblem | null
}

const BN254: PureCurveShape = { curve: bn254, slotBytes: 32, imaginaryFirst: true }
const BLS12: PureCurveShape = { curve: bls12_381, slotBytes: 64, imaginaryFirst: false }

export function createPointProblems(name: 'bn254' | 'bls12'): PointProblems {
  const shape = name === 'bn254' ? BN254 : BLS12
  const { slotBytes } = shape
  const curve = new PurePairingCurve(shape)
  const paddingBytes = slotBytes - Math.ceil(shape.curve.fields.Fp.ORDER.toString(16).length / 2)

  const element = (input: Uint8Array, from: number): PointProblem | null => {
    if (input.subarray(from, from + paddingBytes).some((byte) => byte !== 0)) return 'padding'
    return curve.field(input, from) === null ? 'coordinate' : null
  }
  const point = <T>({ bytes, read }: PureGroup<T>, input: Uint8Array, from: number): PointProblem | null => {
    for (let at = from; at < from + bytes; at += slotBytes) {
      const problem = element(input, at)
      if (problem !== null) return problem
    }
    return read(input, from) === null ? 'curve' : null
  }
  return {
    element,
    g1: (input, from) => point(curve.g1, input, from),
    g2: (input, from) => point(curve.g2, input, from),
  }
}
