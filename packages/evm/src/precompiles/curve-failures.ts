/** geth's texts for refused points (core/vm/contracts.go, crypto/bn256/gnark), in the order of its checks. */
import { createPointProblems, type PairingCurves, type PointProblem, type PointProblems } from '@keelson/primitives'

const ENCODING = 'invalid fp.Element encoding'
const BN254_TEXTS: Readonly<Record<PointProblem, string>> = {
  padding: ENCODING,
  coordinate: ENCODING,
  curve: 'point is not on curve',
}
const BN254_SUBGROUP = 'point is not in correct subgroup'
const BLS12_TEXTS: Readonly<Record<PointProblem, string>> = {
  padding: 'invalid field element top bytes',
  coordinate: ENCODING,
  curve: 'invalid point: not on curve',
}
const G1_SUBGROUP = 'g1 point is not on correct subgroup'
const G2_SUBGROUP = 'g2 point is not on correct subgroup'

const BN254_G1_BYTES = 64
const BN254_G2_BYTES = 128
const BLS12_G1_BYTES = 128
const BLS12_G2_BYTES = 256

type Check = (input: Uint8Array, from: number) => PointProblem | null

interface Part {
  readonly at: number
  readonly check: Check
}

const problemsOf = new Map<'bn254' | 'bls12', PointProblems>()

function problems(name: 'bn254' | 'bls12'): PointProblems {
  const known = problemsOf.get(name) ?? createPointProblems(name)
  problemsOf.set(name, known)
  return known
}

/** Items are of equal length; `parts` are the points in one. */
function firstProblem(input: Uint8Array, itemBytes: number, parts: readonly Part[]): { item: number; problem: PointProblem } | null {
  for (let item = 0; itemBytes * item < input.length; item++) {
    for (const { at, check } of parts) {
      const problem = check(input, itemBytes * item + at)
      if (problem !== null) return { item, problem }
    }
  }
  return null
}

export function bn254PointsFailure(input: Uint8Array, count: number): string {
  const { g1 } = problems('bn254')
  const parts = Array.from({ length: count }, (_, i) => ({ at: BN254_G1_BYTES * i, check: g1 }))
  const found = firstProblem(input, input.length, parts)
  return found === null ? BN254_SUBGROUP : BN254_TEXTS[found.problem]
}

export function bn254PairingFailure(input: Uint8Array, curve: PairingCurves['bn254']): string {
  const { g1, g2 } = problems('bn254')
  const pairBytes = BN254_G1_BYTES + BN254_G2_BYTES
  const found = firstProblem(input, pairBytes, [
    { at: 0, check: g1 },
    { at: BN254_G1_BYTES, check: g2 },
  ])
  // A point outside the subgroup in an earlier pair is found first.
  if (found === null || curve.pairing(input.subarray(0, pairBytes * found.item)) === null) return BN254_SUBGROUP
  return BN254_TEXTS[found.problem]
}

export function bls12PointsFailure(input: Uint8Array, group: 'g1' | 'g2'): string {
  const bytes = group === 'g1' ? BLS12_G1_BYTES : BLS12_G2_BYTES
  const found = firstProblem(input, bytes, [{ at: 0, check: problems('bls12')[group] }])
  return BLS12_TEXTS[found?.problem ?? 'curve']
}

export function bls12ElementsFailure(input: Uint8Array, bytes: number): string {
  const found = firstProblem(input, bytes, [{ at: 0, check: problems('bls12').element }])
  return BLS12_TEXTS[found?.problem ?? 'coordinate']
}

export function bls12SumFailure(input: Uint8Array, itemBytes: number, group: 'g1' | 'g2', curve: PairingCurves['bls12']): string {
  const found = firstProblem(input, itemBytes, [{ at: 0, check: problems('bls12')[group] }])
  const sum = group === 'g1' ? curve.sumG1 : curve.sumG2
  const isEarlier = found === null || (found.item > 0 && sum(input.subarray(0, itemBytes * found.item)) === null)
  if (isEarlier) return group === 'g1' ? G1_SUBGROUP : G2_SUBGROUP
  return BLS12_TEXTS[found.problem]
}

export function bls12PairingFailure(input: Uint8Array, curve: PairingCurves['bls12']): string {
  const { g1, g2 } = problems('bls12')
  const pairBytes = BLS12_G1_BYTES + BLS12_G2_BYTES
  const found = firstProblem(input, pairBytes, [
    { at: 0, check: g1 },
    { at: BLS12_G1_BYTES, check: g2 },
  ])
  const readable = found?.item ?? input.length / pairBytes
  const fails = (pairs: number) => pairs > 0 && curve.pairing(input.subarray(0, pairBytes * pairs)) === null
  if (found !== null && !fails(readable)) return BLS12_TEXTS[found.problem]
  return isInFirstGroup(input.subarray(0, pairBytes * readable), pairBytes, fails, curve) ? G1_SUBGROUP : G2_SUBGROUP
}

/** Halves the pairs, so that the whole search costs about as much as the pairing that was paid for. */
function isInFirstGroup(input: Uint8Array, pairBytes: number, fails: (pairs: number) => boolean, curve: PairingCurves['bls12']): boolean {
  let [good, bad] = [0, input.length / pairBytes]
  while (good + 1 < bad) {
    const middle = (good + bad) >> 1
    if (fails(middle)) bad = middle
    else good = middle
  }
  const pair = new Uint8Array(pairBytes)
  pair.set(input.subarray(pairBytes * good, pairBytes * good + BLS12_G1_BYTES))
  return curve.pairing(pair) === null
}
