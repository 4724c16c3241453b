import assert from 'node:assert/strict'
import { hexToBytes } from '@keelson/primitives'
import { compilingEngine, runCode } from '../../../../../test/support/compiling-engine.ts'

const FACTORY = new Uint8Array(20).fill(0xfa)

describe('code that is not compiled', () => {
  it('is init code, also when it is created again and again', async () => {
    const { engine, compiler } = compilingEngine()
    // MSTORE(0, 7) RETURN(31, 1)
    const init = '60075f526001601ff3'
    // 16 times MSTORE(0, init) CREATE(0, 23, 9)
    const factory = hexToBytes(`0x60105b68${init}5f52600960175ff050600190038060025700`)
    const { status } = await runCode(engine, factory, { address: FACTORY })
    assert.equal(status, 'success')
    assert.deepEqual(compiler.codes, [factory])
  })

  it('is code above 32 KB, and its result is right', async () => {
    const { engine, compiler } = compilingEngine()
    const limit = 0x8000
    const answer = hexToBytes('0x60075f5260205ff3')
    const padded = (length: number) => Uint8Array.from({ length }, (_, i) => answer[i] ?? 0)
    for (const length of [limit, limit + 1, 3 * limit]) {
      const { status, output } = await runCode(engine, padded(length))
      assert.deepEqual([status, output.at(-1)], ['success', 7])
    }
    assert.deepEqual(
      compiler.codes.map(({ length }) => length),
      [limit],
    )
  })
})
