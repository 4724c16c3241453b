import assert from 'node:assert/strict'
import { type BlockRules, l1ForkRules } from '@keelson/chainspec'
import { bytesToHex, concatBytes, hexToBytes } from '@keelson/primitives'
import { runCall } from '../../../../test/support/evm-call.ts'
import { CONTRACT, opRules, word } from '../../../../test/support/evm-world.ts'

describe('precompiles and opcodes on OP chains', () => {
  it('push 1 for BLOBBASEFEE', async () => {
    const accounts = [{ address: CONTRACT, code: hexToBytes(`0x4a60005260206000f3`) }]
    const result = await runCall({ rules: opRules('ecotone'), to: CONTRACT, gas: 100_000n, accounts })
    assert.equal(bytesToHex(result.output), bytesToHex(word(1n)))
    assert.equal((await runCall({ rules: opRules('canyon'), to: CONTRACT, gas: 100_000n, accounts })).status, 'halt')
  })

  const precompile = (rules: BlockRules, index: number, length: number) =>
    runCall({ rules, to: word(BigInt(index)).subarray(12), data: new Uint8Array(length), gas: 1_000_000_000n })

  it('verify P-256 signatures from Fjord, at a higher price from Karst and Azul', async () => {
    const call = (rules: BlockRules) => runCall({ rules, to: word(0x100n).subarray(12), gas: 10_000n })
    assert.equal((await call(opRules('ecotone'))).gasLeft, 10_000n)
    assert.equal((await call(opRules('fjord'))).gasLeft, 10_000n - 3_450n)
    for (const fork of ['karst', 'azul'] as const) assert.equal((await call(opRules(fork))).gasLeft, 10_000n - 6_900n, fork)
    const short = await runCall({ rules: opRules('fjord'), to: word(0x100n).subarray(12), gas: 3_449n })
    assert.deepEqual([short.status, short.gasLeft], ['halt', 0n])
  })

  for (const [fork, most] of [
    ['granite', 112_687 - (112_687 % 192)],
    ['jovian', 81_984],
    ['karst', 57_600],
    ['azul', 81_984],
  ] as const) {
    it(`pair at most ${most} bytes of bn256 points under ${fork}`, async () => {
      const at = await precompile(opRules(fork), 0x08, most)
      assert.deepEqual([at.status, bytesToHex(at.output)], ['success', bytesToHex(word(1n))])
      const above = await precompile(opRules(fork), 0x08, most + 192)
      assert.deepEqual([above.status, above.gasLeft], ['halt', 0n])
    })
  }

  it('have no limit on bn256 pairings before Granite', async () => {
    assert.equal((await precompile(opRules('fjord'), 0x08, 112_896)).status, 'success')
  })

  for (const [fork, g1, g2, pairing] of [
    ['isthmus', 513_760, 488_448, 235_008],
    ['jovian', 288_960, 278_784, 156_672],
    ['azul', 288_960, 278_784, 156_672],
  ] as const) {
    it(`bound the BLS precompiles under ${fork}`, async () => {
      for (const [index, most, unit] of [
        [0x0c, g1, 160],
        [0x0e, g2, 288],
        [0x0f, pairing, 384],
      ] as const) {
        assert.equal(most % unit, 0)
        assert.equal((await precompile(opRules(fork), index, most + unit)).status, 'halt', `0x${index.toString(16)} above`)
        assert.equal((await precompile(l1ForkRules('prague'), index, unit)).status, 'success', `0x${index.toString(16)} without limit`)
      }
    })
  }

  it('recover signers', async () => {
    const data = concatBytes(
      hexToBytes('0x18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c'),
      word(28n),
      hexToBytes('0x73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f'),
      hexToBytes('0xeeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549'),
    )
    const result = await runCall({ rules: l1ForkRules('cancun'), to: word(1n).subarray(12), data, gas: 3_000n })
    assert.equal(bytesToHex(result.output), '0x000000000000000000000000a94f5374fce5edbc8e2a8697c15331677e6ebf0b')
    const wrong = await runCall({ rules: l1ForkRules('cancun'), to: word(1n).subarray(12), data: data.slice(0, 64), gas: 3_000n })
    assert.deepEqual([wrong.status, wrong.output.length], ['success', 0])
  })
})
