import assert from 'node:assert/strict'
import * as op from './analysis/opcodes.ts'
import { compile } from './compile.ts'
import { flatCosts } from './compiled-code.test-support.ts'
import { COMPILE_LIMITS } from './limits.ts'

const CODE_BYTES = 24_576
const INIT_CODE_BYTES = 49_152
const OUTPUT_BOUND = COMPILE_LIMITS.maxEmittedBytes + 0x10000

function repeated(pattern: readonly number[], length = CODE_BYTES): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => pattern[i % pattern.length] as number)
}

function outputBytes(code: Uint8Array): number {
  const result = compile(code, flatCosts())
  return result.kind === 'refused' ? 0 : result.bytes.length
}

describe('compile bombs', () => {
  const bombs: Readonly<Record<string, Uint8Array>> = {
    'PUSH32 and POP': repeated([op.PUSH32, ...Array<number>(32).fill(0xff), op.POP]),
    'a PUSH32 flood': repeated([op.PUSH32, ...Array<number>(32).fill(0xff)]),
    'a deep stack with branches': Uint8Array.from([
      ...Array<number>(1000).fill(op.MSIZE),
      ...repeated([op.DUP1 + 15, op.DUP1 + 15, op.JUMPI], CODE_BYTES - 1000),
    ]),
    'swaps of a deep stack': Uint8Array.from([
      ...Array<number>(1000).fill(op.GAS),
      ...repeated([op.SWAP16, op.POP, op.DUP1 + 15, op.SWAP16 - 3], CODE_BYTES - 1000),
    ]),
    'dynamic jumps': repeated([op.JUMPDEST, op.DUP1, op.JUMP]),
    'a multiplication at every step': repeated([op.DUP1 + 1, op.DUP1 + 1, op.MUL]),
    'memory at every step': repeated([op.DUP1, op.MLOAD]),
    calls: repeated([op.CALL]),
  }

  for (const [name, code] of Object.entries(bombs)) {
    it(`gives a bounded module or none for ${name}`, () => {
      const bytes = outputBytes(code)
      assert.ok(bytes <= OUTPUT_BOUND, `${bytes} bytes, at most ${OUTPUT_BOUND}`)
    })
  }

  it('refuses 24 KB of JUMPDEST with the reason', () => {
    assert.deepEqual(compile(repeated([op.JUMPDEST]), flatCosts()), { kind: 'refused', reason: 'too-many-blocks' })
  })

  it('refuses code of the size of the largest init code with the reason', () => {
    assert.deepEqual(compile(repeated([op.PUSH0, op.POP], INIT_CODE_BYTES), flatCosts()), { kind: 'refused', reason: 'code-too-large' })
  })

  it('refuses code whose output passes the limit with the reason', () => {
    const result = compile(repeated([op.DUP1, op.MLOAD]), flatCosts(), { ...COMPILE_LIMITS, maxEmittedBytes: 10_000 })
    assert.deepEqual(result, { kind: 'refused', reason: 'output-too-large' })
  })
})
