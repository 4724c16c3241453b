import assert from 'node:assert/strict'
import { hexToBytes } from '@keelson/primitives'
import { compilingEngine, runCode } from '../../../../../test/support/compiling-engine.ts'

/** Endless until the gas ends, after minutes. */
const ENDLESS: Readonly<Record<string, string>> = {
  'a loop of one block': '0x5b5f56',
  'a loop with a condition': '0x5b60015f57',
  'a loop that a dynamic jump closes': '0x5b5f3556',
  'two loops that jump to each other': '0x5b600556005b5f56',
  'a loop around a call': '0x5b5f5f5f5f5f60045af1505f56',
  'a loop that reads memory and storage': '0x5b5f5154505f56',
  'a recursion': `0x${'5f5f5f5f5f305af150'.repeat(200)}`,
}

describe('a deadline and compiled code', () => {
  for (const [name, code] of Object.entries(ENDLESS)) {
    it(`stops ${name}`, async () => {
      const { engine, compiler } = compilingEngine()
      let asked = 0
      assert.throws(() => runCode(engine, hexToBytes(code), { stop: () => ++asked === 5 }), { code: 'evm/interrupted' })
      assert.equal(asked, 5)
      assert.equal(compiler.codes.length, 1)
      const next = await runCode(engine, hexToBytes('0x60016000526001601ff3'))
      assert.deepEqual([next.status, next.output], ['success', Uint8Array.of(1)])
    })
  }

  it('asks again and again while a loop runs', async () => {
    const { engine } = compilingEngine()
    let asked = 0
    const few = await runCode(engine, hexToBytes('0x5b5f56'), { stop: () => ++asked < 0, gas: 50_000_000n })
    const first = asked
    await runCode(engine, hexToBytes('0x5b5f56'), { stop: () => ++asked < 0, gas: 500_000_000n })
    assert.equal(few.status, 'halt')
    assert.ok(first >= 2 && asked - first >= 9 * first, `${first} and ${asked - first} times`)
  })
})
