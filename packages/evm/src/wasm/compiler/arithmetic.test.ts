import assert from 'node:assert/strict'
import fc from 'fast-check'
import * as layout from '../layout.ts'
import * as op from './analysis/opcodes.ts'
import { push, returningTop, runCompiled } from './compiled-code.test-support.ts'

const BITS = 256n
const mod = (value: bigint): bigint => BigInt.asUintN(256, value)
const signed = (value: bigint): bigint => BigInt.asIntN(256, value)
const truth = (condition: boolean): bigint => (condition ? 1n : 0n)

/** Yellow paper, appendix H; `a` is the top of the stack. */
const BINARY: Readonly<Record<number, (a: bigint, b: bigint) => bigint>> = {
  [op.ADD]: (a, b) => a + b,
  [op.MUL]: (a, b) => a * b,
  [op.SUB]: (a, b) => a - b,
  [op.DIV]: (a, b) => (b === 0n ? 0n : a / b),
  [op.MOD]: (a, b) => (b === 0n ? 0n : a % b),
  [op.LT]: (a, b) => truth(a < b),
  [op.GT]: (a, b) => truth(a > b),
  [op.SLT]: (a, b) => truth(signed(a) < signed(b)),
  [op.SGT]: (a, b) => truth(signed(a) > signed(b)),
  [op.EQ]: (a, b) => truth(a === b),
  [op.AND]: (a, b) => a & b,
  [op.OR]: (a, b) => a | b,
  [op.XOR]: (a, b) => a ^ b,
  [op.BYTE]: (a, b) => (a > 31n ? 0n : (b >> (248n - 8n * a)) & 0xffn),
  [op.SHL]: (a, b) => (a >= BITS ? 0n : b << a),
  [op.SHR]: (a, b) => (a >= BITS ? 0n : b >> a),
  [op.SAR]: (a, b) => signed(b) >> (a >= BITS ? 255n : a),
  [op.SIGNEXTEND]: (a, b) => (a > 30n ? b : BigInt.asIntN(Number(8n * a) + 8, b)),
}

const UNARY: Readonly<Record<number, (a: bigint) => bigint>> = {
  [op.ISZERO]: (a) => truth(a === 0n),
  [op.NOT]: (a) => ~a,
  [op.CLZ]: (a) => (a === 0n ? 256n : 256n - BigInt(a.toString(2).length)),
}

const word = fc.oneof(
  fc.bigInt(0n, (1n << 256n) - 1n),
  fc.bigInt(0n, 300n),
  fc.bigInt(0n, (1n << 64n) - 1n),
  fc.tuple(fc.integer({ min: 0, max: 255 }), fc.constantFrom(-1n, 0n, 1n)).map(([bit, delta]) => mod((1n << BigInt(bit)) + delta)),
  fc.bigInt(1n, 300n).map((value) => mod(-value)),
)

interface Operand {
  readonly value: bigint
  readonly isConstant: boolean
}

const operand: fc.Arbitrary<Operand> = fc.record({ value: word, isConstant: fc.boolean() })

function bytesOf(value: bigint): number[] {
  return Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(248 - 8 * i)) & 0xffn))
}

function program(operands: readonly Operand[], operations: readonly number[]): { code: Uint8Array; input: Uint8Array } {
  const code: number[] = []
  const input: number[] = []
  for (const { value, isConstant } of [...operands].reverse()) {
    if (isConstant) code.push(...push(value))
    else {
      code.push(...push(BigInt(input.length)), op.CALLDATALOAD)
      input.push(...bytesOf(value))
    }
  }
  return { code: returningTop([...code, ...operations]), input: Uint8Array.from(input) }
}

describe('compiled arithmetic', () => {
  for (const [opcode, expected] of Object.entries(BINARY)) {
    it(`computes opcode 0x${Number(opcode).toString(16)} as defined, whichever operands are constant`, () => {
      fc.assert(
        fc.property(operand, operand, (a, b) => {
          const { code, input } = program([a, b], [Number(opcode)])
          assert.equal(runCompiled(code, input, 1_000_000n).output, mod(expected(a.value, b.value)))
        }),
        { numRuns: 60 },
      )
    })
  }

  for (const [opcode, expected] of Object.entries(UNARY)) {
    it(`computes opcode 0x${Number(opcode).toString(16)} as defined, constant or not`, () => {
      fc.assert(
        fc.property(operand, (a) => {
          const { code, input } = program([a], [Number(opcode)])
          assert.equal(runCompiled(code, input, 1_000_000n).output, mod(expected(a.value)))
        }),
        { numRuns: 60 },
      )
    })
  }

  it('computes sequences with DUP and SWAP on a stack that is partly constant', () => {
    const step = fc.oneof(
      fc.constantFrom(...Object.keys(BINARY), ...Object.keys(UNARY)).map((name) => ({ opcode: Number(name), depth: 0 })),
      fc.record({ opcode: fc.constantFrom(op.DUP1, op.SWAP1), depth: fc.integer({ min: 1, max: 16 }) }),
    )
    fc.assert(
      fc.property(fc.array(operand, { minLength: 18, maxLength: 18 }), fc.array(step, { maxLength: 60 }), (operands, steps) => {
        const stack = operands.map(({ value }) => value).reverse()
        const operations: number[] = []
        for (const { opcode, depth } of steps) {
          if (stack.length < 18 && opcode !== op.DUP1) {
            stack.push(stack.at(-1) ?? 0n)
            operations.push(op.DUP1)
          }
          const top = stack.length - 1
          if (opcode === op.DUP1) stack.push(stack[top + 1 - depth] as bigint)
          else if (opcode === op.SWAP1) [stack[top], stack[top - depth]] = [stack[top - depth] as bigint, stack[top] as bigint]
          else if (UNARY[opcode] !== undefined) stack.push(mod(UNARY[opcode](stack.pop() as bigint)))
          else stack.push(mod((BINARY[opcode] as (a: bigint, b: bigint) => bigint)(stack.pop() as bigint, stack.pop() as bigint)))
          operations.push(opcode === op.DUP1 || opcode === op.SWAP1 ? opcode + depth - 1 : opcode)
        }
        const { code, input } = program(operands, operations)
        assert.equal(runCompiled(code, input, 1_000_000n).output, stack.at(-1))
      }),
      { numRuns: 150 },
    )
  })

  it('divides by a word whose known low limb is zero, and whose other limbs turn out to be zero', () => {
    const { code, input } = program([{ value: 0n, isConstant: false }], [...push(197n), op.SHL, ...push(7n), op.DIV])
    assert.equal(runCompiled(code, input, 1_000_000n).output, 0n)
  })

  it('reads call data past its end as zeros', () => {
    for (const offset of [0n, 1n, 31n, 32n, 33n, 1n << 31n, 1n << 63n, (1n << 256n) - 1n]) {
      const code = returningTop([...push(offset), op.CALLDATALOAD])
      const expected = offset < 33n ? mod((BigInt(`0x${'ab'.repeat(33)}`) << BigInt(8n * offset)) >> 8n) : 0n
      assert.equal(runCompiled(code, new Uint8Array(33).fill(0xab), 1_000_000n).output, expected, `offset ${offset}`)
    }
  })
})

describe('gas and stack of compiled blocks', () => {
  const code = returningTop([...push(2n), ...push(3n), op.ADD])
  const cost = 3n * 7n

  it('charges the static gas of a block once', () => {
    assert.deepEqual(runCompiled(code, new Uint8Array(), 100n), {
      status: layout.STATUS_RETURN,
      output: 5n,
      gas: 100n - cost,
      pc: code.length - 1,
      halt: 0,
    })
  })

  it('leaves a block that it cannot pay for to the interpreter, with nothing charged', () => {
    const { status, gas, pc } = runCompiled(code, new Uint8Array(), cost - 1n)
    assert.deepEqual({ status, gas, pc }, { status: layout.STATUS_BAIL, gas: cost - 1n, pc: 0 })
  })

  it('leaves a block whose stack underflows to the interpreter', () => {
    assert.equal(runCompiled(Uint8Array.of(op.ADD), new Uint8Array(), 100n).status, layout.STATUS_BAIL)
  })

  it('leaves a block whose stack overflows to the interpreter', () => {
    const flood = new Uint8Array(1025).fill(op.PUSH0)
    assert.equal(runCompiled(flood, new Uint8Array(), 100_000n).status, layout.STATUS_BAIL)
    assert.equal(runCompiled(flood.subarray(1), new Uint8Array(), 100_000n).status, layout.STATUS_RETURN)
  })

  it('gives GAS what is left after that opcode', () => {
    const { output } = runCompiled(returningTop([op.PUSH0, op.POP, op.GAS]), new Uint8Array(), 100n)
    assert.equal(output, 100n - 9n)
  })
})

describe('compiled jumps', () => {
  const loop = (jumpTarget: readonly number[]) => [
    ...[op.PUSH0, op.PUSH0, op.CALLDATALOAD],
    op.JUMPDEST,
    ...[op.DUP1, op.SWAP1 + 1, op.ADD, op.SWAP1],
    ...[...push(1n), op.SWAP1, op.SUB],
    ...[op.DUP1, ...jumpTarget, op.JUMPI],
    op.POP,
  ]

  it('runs a loop with a static backward jump', () => {
    assert.equal(runCompiled(returningTop(loop(push(3n))), Uint8Array.from(bytesOf(1000n)), 1_000_000n).output, 500_500n)
  })

  it('runs a loop with a destination that is computed', () => {
    const computed = [...push(32n), op.CALLDATALOAD]
    const input = Uint8Array.from([...bytesOf(1000n), ...bytesOf(3n)])
    assert.equal(runCompiled(returningTop(loop(computed)), input, 1_000_000n).output, 500_500n)
  })

  it('halts at a jump to anything but a JUMPDEST, static or computed', () => {
    for (const target of [0n, 4n, 5n, 1n << 32n, 1n << 64n, 1n << 255n]) {
      const computed = Uint8Array.of(op.PUSH0, op.CALLDATALOAD, op.JUMP, op.PUSH0 + 1, op.JUMPDEST)
      const fixed = Uint8Array.from([...push(target), op.JUMP, op.PUSH0 + 1, op.JUMPDEST])
      for (const code of [computed, fixed]) {
        const { status, halt } = runCompiled(code, Uint8Array.from(bytesOf(target)), 1_000n)
        assert.deepEqual({ status, halt }, { status: layout.STATUS_HALT, halt: layout.HALT_INVALID_JUMP })
      }
    }
  })

  it('finds every destination of a large code', () => {
    const blocks = 300
    const code = [op.PUSH0, op.CALLDATALOAD, op.JUMP]
    const destinations: number[] = []
    for (let i = 0; i < blocks; i++) {
      destinations.push(code.length)
      code.push(op.JUMPDEST, ...push(BigInt(i + 1)), op.PUSH0, op.MSTORE, op.PUSH0 + 1, 32, op.PUSH0, op.RETURN)
    }
    for (const [i, pc] of destinations.entries()) {
      if (i % 7 !== 0) continue
      assert.equal(runCompiled(Uint8Array.from(code), Uint8Array.from(bytesOf(BigInt(pc))), 1_000n).output, BigInt(i + 1))
    }
  })
})
