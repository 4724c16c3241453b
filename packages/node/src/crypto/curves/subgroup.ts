import type { CurveGroup } from './curve.ts'
import type { CurveMemory } from './curve-memory.ts'
import type { Endomorphism } from './endomorphism.ts'

export type SubgroupCheck = (point: number) => boolean

/** The map multiplies by `factor`. eprint 2019/814 and 2021/1130 */
export function factorCheck(group: CurveGroup, memory: CurveMemory, map: Endomorphism, seed: bigint, power: 1 | 2): SubgroupCheck {
  const [product, image] = [memory.allocate(group.pointBytes), memory.allocate(group.pointBytes)]
  const multiply = seedMultiplier(group, memory, seed)
  return (point) => {
    multiply(product, point)
    if (power === 2) multiply(product, product)
    map(image, point)
    return group.operations.isEqual(product, image) === 1
  }
}

/** (x + 1) P + f(x P) + f(f(x P)) = f(f(f(2x P))) with the Frobenius map f. eprint 2022/348 */
export function bnTwistCheck(group: CurveGroup, memory: CurveMemory, map: Endomorphism, seed: bigint): SubgroupCheck {
  const [product, image, next, sum] = [0, 1, 2, 3].map(() => memory.allocate(group.pointBytes)) as [number, number, number, number]
  const multiply = seedMultiplier(group, memory, seed)
  return (point) => {
    multiply(product, point)
    group.operations.add(sum, product, point)
    map(image, product)
    group.operations.add(sum, sum, image)
    map(next, image)
    group.operations.add(sum, sum, next)
    map(image, next)
    group.operations.double(image, image)
    return group.operations.isEqual(sum, image) === 1
  }
}

export function seedMultiplier(
  group: Pick<CurveGroup, 'operations' | 'pointBytes'>,
  memory: CurveMemory,
  seed: bigint,
): (z: number, x: number) => void {
  const digits = nonAdjacentForm(seed)
  const sum = memory.allocate(group.pointBytes)
  return (z, x) => {
    memory.copy(sum, x, group.pointBytes)
    for (const digit of digits) {
      group.operations.double(sum, sum)
      if (digit === 1) group.operations.add(sum, sum, x)
      else if (digit === -1) group.operations.subtract(sum, sum, x)
    }
    memory.copy(z, sum, group.pointBytes)
  }
}

function nonAdjacentForm(value: bigint): readonly number[] {
  const digits: number[] = []
  for (let rest = value; rest > 0n; rest >>= 1n) {
    const digit = rest % 2n === 0n ? 0n : 2n - (rest % 4n)
    digits.push(Number(digit))
    rest -= digit
  }
  return digits.reverse().slice(1)
}
