import assert from 'node:assert/strict'
import { bigintToBytes, bytesToBigint } from '@keelson/primitives'
import fc from 'fast-check'
import { math, mathInputAt, mathMemory } from './math-instance.ts'

const mathBytes = mathMemory(mathInputAt)
const WORD = 32
const SIZE = 1n << 256n
const SIGN = 1n << 255n
const signed = (value: bigint) => BigInt.asIntN(256, value)
const word = (value: bigint) => BigInt.asUintN(256, value)
const at = (slot: number) => mathInputAt + slot * WORD

const write = (slot: number, value: bigint) => mathBytes.set(bigintToBytes(value, WORD).reverse(), at(slot))
const read = (slot: number) => bytesToBigint(mathBytes.slice(at(slot), at(slot) + WORD).reverse())

type Run = (...addresses: number[]) => unknown
interface Operation {
  readonly name: string
  readonly run: Run
  readonly expected: (...operands: bigint[]) => bigint
  readonly operands: 1 | 2 | 3
}

const truncated = (a: bigint, b: bigint) => (b === 0n ? 0n : signed(a) / signed(b))
const rest = (a: bigint, b: bigint) => (b === 0n ? 0n : signed(a) % signed(b))

function powerOf(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = word(result * square)
    square = word(square * square)
  }
  return result
}

function extended(index: bigint, value: bigint): bigint {
  return index >= 31n ? value : BigInt.asIntN(8 * (Number(index) + 1), value)
}

const OPERATIONS: readonly Operation[] = [
  { name: 'MUL', run: math.multiply, expected: (a, b) => a * b, operands: 2 },
  { name: 'DIV', run: math.unsignedDivide, expected: (a, b) => (b === 0n ? 0n : a / b), operands: 2 },
  { name: 'MOD', run: math.unsignedModulo, expected: (a, b) => (b === 0n ? 0n : a % b), operands: 2 },
  { name: 'SDIV', run: math.signedDivide, expected: truncated, operands: 2 },
  { name: 'SMOD', run: math.signedModulo, expected: rest, operands: 2 },
  { name: 'ADDMOD', run: math.addModulo, expected: (a, b, m) => (m === 0n ? 0n : (a + b) % m), operands: 3 },
  { name: 'MULMOD', run: math.multiplyModulo, expected: (a, b, m) => (m === 0n ? 0n : (a * b) % m), operands: 3 },
  { name: 'EXP', run: math.power, expected: powerOf, operands: 2 },
  { name: 'SHL', run: math.shiftLeft, expected: (by, value) => (by > 255n ? 0n : value << by), operands: 2 },
  { name: 'SHR', run: math.shiftRight, expected: (by, value) => (by > 255n ? 0n : value >> by), operands: 2 },
  { name: 'SAR', run: math.shiftRightSigned, expected: (by, value) => signed(value) >> (by > 255n ? 255n : by), operands: 2 },
  { name: 'BYTE', run: math.byteAt, expected: (i, value) => (i > 31n ? 0n : (value >> (8n * (31n - i))) & 0xffn), operands: 2 },
  { name: 'SIGNEXTEND', run: math.signExtend, expected: extended, operands: 2 },
  {
    name: 'CLZ',
    run: math.countLeadingZeros,
    expected: (value) => 256n - BigInt(value.toString(2).length - (value === 0n ? 1 : 0)),
    operands: 1,
  },
]

const COMPARISONS = [
  { name: 'LT', run: math.lessThan, expected: (a: bigint, b: bigint) => a < b },
  { name: 'SLT', run: math.signedLessThan, expected: (a: bigint, b: bigint) => signed(a) < signed(b) },
  { name: 'EQ', run: math.equal, expected: (a: bigint, b: bigint) => a === b },
]

const EDGES: readonly bigint[] = [
  ...[0n, 1n, 2n, 3n, 7n, 10n, 31n, 32n, 63n, 64n, 65n, 127n, 128n, 192n, 255n, 256n, 257n],
  ...[32n, 63n, 64n, 96n, 127n, 128n, 191n, 192n, 255n].flatMap((bit) => [(1n << bit) - 1n, 1n << bit, (1n << bit) + 1n]),
  ...[SIZE - 1n, SIZE - 2n, SIZE - 0xffn, SIGN | 1n, SIZE - (1n << 64n), SIZE - (1n << 128n), SIZE - (1n << 192n)],
  ...[(1n << 255n) - 19n, SIZE - 0x1000003d1n, (SIGN >> 64n) | 0xffffffffffffffffn, SIGN | 0xffffffffffffffffffffffffffffffffn],
]

const limb = fc.oneof(
  fc.constantFrom(0n, 1n, (1n << 32n) - 1n, 1n << 32n, (1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 2n, (1n << 64n) - 1n),
  fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
)
const anyWord = fc
  .tuple(fc.array(limb, { minLength: 4, maxLength: 4 }), fc.integer({ min: 1, max: 4 }))
  .map(([limbs, count]) => limbs.slice(0, count).reduce((sum, each, i) => sum | (each << BigInt(64 * i)), 0n))
const operand = fc.oneof({ weight: 4, arbitrary: anyWord }, { weight: 1, arbitrary: fc.constantFrom(...EDGES) })

function agrees({ name, run, expected, operands }: Operation, values: readonly bigint[]): void {
  const used = values.slice(0, operands)
  const wanted = word(expected(...used))
  const addresses = used.map((_, i) => at(i))
  // The interpreter lets a result replace an operand.
  for (const out of [3, ...used.keys()]) {
    for (const [i, value] of used.entries()) write(i, value)
    run(...addresses, at(out))
    const got = read(out)
    if (got !== wanted)
      assert.fail(
        `${name}(${used.map((v) => `0x${v.toString(16)}`).join(', ')}) into ${out} is 0x${got.toString(16)}, not 0x${wanted.toString(16)}`,
      )
  }
}

describe('256-bit arithmetic in WASM', () => {
  for (const operation of OPERATIONS) {
    it(`${operation.name} agrees with BigInt at the edges`, () => {
      for (const a of EDGES) {
        for (const b of operation.operands === 1 ? [0n] : EDGES) {
          for (const c of operation.operands === 3
            ? [0n, 1n, 3n, (1n << 64n) - 1n, 1n << 64n, (1n << 127n) + 1n, (1n << 192n) - 1n, SIGN | 5n, SIZE - 1n]
            : [0n])
            agrees(operation, [a, b, c])
        }
      }
    })

    it(`${operation.name} agrees with BigInt on any words`, () => {
      fc.assert(
        fc.property(operand, operand, operand, (a, b, c) => agrees(operation, [a, b, c])),
        { numRuns: 3000 },
      )
    })
  }

  it('divides where the estimate of a digit is too large, or overflows', () => {
    const digits = fc.bigInt({ min: (1n << 192n) - 3n, max: (1n << 192n) - 1n })
    fc.assert(
      fc.property(limb, limb, limb, digits, (a, b, c, quotient) => {
        const divisor = (((1n << 63n) | (a >> 1n)) << 128n) | (b << 64n) | c
        const value = word(divisor * (quotient >> 128n) + divisor - 1n)
        agrees(OPERATIONS[1] as Operation, [value, divisor])
        agrees(OPERATIONS[2] as Operation, [value, divisor])
        agrees(OPERATIONS[6] as Operation, [divisor, quotient, divisor + 1n])
      }),
      { numRuns: 3000 },
    )
  })

  it('adds and multiplies modulo words just below 2^256, and operands around the modulus', () => {
    const small = fc.bigInt({ min: 0n, max: 3n })
    const judge = (a: bigint, b: bigint, m: bigint, x: bigint, y: bigint) => {
      for (const operation of [OPERATIONS[5], OPERATIONS[6]] as Operation[]) {
        agrees(operation, [a, b, m])
        agrees(operation, [word(m + 1n - x), word(m + 1n - y), m])
      }
    }
    for (const a of EDGES)
      for (const b of EDGES) for (const c of [1n, 2n, (1n << 32n) - 1n, 1n << 63n, (1n << 64n) - 1n]) judge(a, b, SIZE - c, 0n, 2n)
    fc.assert(
      fc.property(operand, operand, limb, small, small, (a, b, c, x, y) => judge(a, b, word(SIZE - c), x, y)),
      { numRuns: 3000 },
    )
    fc.assert(fc.property(operand, operand, operand, small, small, judge), { numRuns: 3000 })
  })

  for (const { name, run, expected } of COMPARISONS) {
    it(`${name} agrees with BigInt`, () => {
      const judge = (a: bigint, b: bigint) => {
        write(0, a)
        write(1, b)
        assert.equal(run(at(0), at(1)) !== 0, expected(a, b), `${name}(${a}, ${b})`)
      }
      for (const a of EDGES) for (const b of EDGES) judge(a, b)
      fc.assert(fc.property(operand, operand, judge), { numRuns: 3000 })
    })
  }
})
