/**
 * Compares packages/evm/assembly/math with other implementations.
 *
 *   node --import=tsx scripts/bench/evm/math.ts
 */
import { createHash } from 'node:crypto'
import { keccak256 } from '@keelson/primitives'
import { math, mathInputAt, mathMemory } from '../../../packages/evm/src/wasm/math-instance.ts'

const SLICES = 300
const mathBytes = mathMemory(mathInputAt)
const [A, B, M, OUT, MESSAGE] = [0, 32, 64, 96, 128].map((offset) => mathInputAt + offset) as [number, number, number, number, number]

interface Work {
  readonly name: string
  readonly run: () => void
  readonly repeats: number
}

function word(at: number, value: bigint): void {
  for (let i = 0; i < 32; i++) mathBytes[at + i] = Number((value >> BigInt(8 * i)) & 0xffn)
}

const message = Uint8Array.from({ length: 8192 }, (_, i) => (i * 31) & 0xff)
mathBytes.set(message, MESSAGE)

function hashes(length: number): Work[] {
  const data = message.subarray(0, length)
  const repeats = Math.ceil(20_000 / (length + 100))
  return [
    { name: `keccak ${length} B`, run: () => math.keccak256(MESSAGE, length, OUT), repeats },
    { name: `keccak ${length} B, primitives`, run: () => void keccak256(data), repeats },
    { name: `sha256 ${length} B`, run: () => math.sha256(MESSAGE, length, OUT), repeats },
    { name: `sha256 ${length} B, node:crypto`, run: () => void createHash('sha256').update(data).digest(), repeats },
  ]
}

type Three = (a: number, b: number, out: number) => void
const twoWords = (name: string, run: Three): Work => ({ name, run: () => run(A, B, OUT), repeats: 1000 })

word(A, 0xf39cc0605cedc8341082276bf3a27251f86c6a11d0c18e959e3779b97f4a7c15n)
word(M, 2n ** 256n - 0x1000003d1n)
const shapes = [
  ['64 bits', 0x9e3779b97f4a7c15n],
  ['128 bits', 0xfffffffffffffffffffffffffffff61n],
  ['192 bits', 0x9e3779b97f4a7c159e3779b97f4a7c159e3779b97f4a7c15n],
  ['256 bits', 0x9e3779b97f4a7c159e3779b97f4a7c159e3779b97f4a7c151082276bf3a27251n],
] as const

const works: readonly Work[] = [
  { name: 'empty call', run: () => math.isZero(A), repeats: 1000 },
  ...[32, 64, 136, 8192].flatMap(hashes),
  ...shapes.flatMap(([name, divisor]) => [
    { ...twoWords(`divide 256 by ${name}`, math.unsignedDivide), before: divisor },
    { ...twoWords(`multiply by ${name}`, math.multiply), before: divisor },
    { name: `mulmod, factor of ${name}`, run: () => math.multiplyModulo(A, B, M, OUT), repeats: 1000, before: divisor },
  ]),
  { ...twoWords('power, 256-bit exponent', math.power), repeats: 20 },
]

const times = works.map((): number[] => [])
for (let slice = 0; slice < SLICES; slice++) {
  for (const [i, work] of works.entries()) {
    if ('before' in work) word(B, work.before as bigint)
    const start = performance.now()
    for (let k = 0; k < work.repeats; k++) work.run()
    times[i]?.push(((performance.now() - start) * 1e6) / work.repeats)
  }
}
for (const [i, { name }] of works.entries()) {
  const sorted = (times[i] as number[]).slice(SLICES / 5).sort((a, b) => a - b)
  const [least, median] = [sorted[0], sorted[sorted.length >> 1]] as [number, number]
  console.log(`${name.padEnd(36)} ${least.toFixed(0).padStart(7)} ns least ${median.toFixed(0).padStart(7)} ns median`)
}
