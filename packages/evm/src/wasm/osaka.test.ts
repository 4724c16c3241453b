/** op-acceptance-tests/tests/osaka_on_l2_test.go (ethereum-optimism/optimism) */
import assert from 'node:assert/strict'
import { bytesToHex, concatBytes, hexToBytes } from '@keelson/primitives'
import { runCall } from '../../../../test/support/evm-call.ts'
import { CONTRACT, opRules, word } from '../../../../test/support/evm-world.ts'

const MODEXP = word(5n).subarray(12)
const BEFORE = opRules('jovian')

for (const fork of ['karst', 'azul'] as const) {
  const AFTER = opRules(fork)

  describe(`the EVM from ${fork} on`, () => {
    it('refuses operands above 1024 bytes in MODEXP (EIP-7823)', async () => {
      const input = (modulusBytes: number) =>
        concatBytes(word(1n), word(1n), word(BigInt(modulusBytes)), Uint8Array.of(2, 3), new Uint8Array(modulusBytes).fill(5))
      const call = (rules: typeof AFTER, modulusBytes: number) =>
        runCall({ rules, to: MODEXP, data: input(modulusBytes), gas: 10_000_000n })
      assert.equal((await call(BEFORE, 1_025)).status, 'success')
      assert.equal((await call(AFTER, 1_025)).status, 'halt')
      assert.equal((await call(AFTER, 1_024)).status, 'success')
    })

    it('asks at least 500 gas for MODEXP in place of 200 (EIP-7883)', async () => {
      const used = async (rules: typeof AFTER) => 10_000n - (await runCall({ rules, to: MODEXP, gas: 10_000n })).gasLeft
      assert.deepEqual([await used(BEFORE), await used(AFTER)], [200n, 500n])
    })

    it('counts leading zeros (EIP-7939)', async () => {
      const accounts = [{ address: CONTRACT, code: hexToBytes('0x60011e60005260206000f3') }]
      const call = (rules: typeof AFTER) => runCall({ rules, to: CONTRACT, gas: 100_000n, accounts })
      assert.equal((await call(BEFORE)).status, 'halt')
      assert.equal(bytesToHex((await call(AFTER)).output), bytesToHex(word(255n)))
    })

    it('asks for MODEXP what EIP-7883 states for operands of 64 bytes', async () => {
      const operand = new Uint8Array(64).fill(3)
      const used = async (rules: typeof AFTER, exponent: Uint8Array) => {
        const data = concatBytes(word(64n), word(BigInt(exponent.length)), word(64n), operand, exponent, operand)
        return 10_000n - (await runCall({ rules, to: MODEXP, data, gas: 10_000n })).gasLeft
      }
      const square = Uint8Array.of(2)
      const power = Uint8Array.of(1, 0, 1)
      assert.deepEqual([await used(BEFORE, square), await used(BEFORE, power)], [200n, 341n])
      assert.deepEqual([await used(AFTER, square), await used(AFTER, power)], [500n, 2_048n])
    })
  })
}
