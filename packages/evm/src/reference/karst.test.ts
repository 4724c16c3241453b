/** Osaka's EVM on a rollup since Karst. Inputs from op-acceptance-tests/tests/osaka_on_l2_test.go (ethereum-optimism/optimism). */
import assert from 'node:assert/strict'
import { bytesToHex, concatBytes, hexToBytes } from '@keelson/primitives'
import { runCall } from '../../../../test/support/evm-call.ts'
import { CONTRACT, opRules, word } from '../../../../test/support/evm-world.ts'

const MODEXP = word(5n).subarray(12)
const BEFORE = opRules('jovian')
const AFTER = opRules('karst')

describe('the EVM from Karst on', () => {
  it('refuses operands above 1024 bytes in MODEXP (EIP-7823)', async () => {
    const input = (modulusBytes: number) =>
      concatBytes(word(1n), word(1n), word(BigInt(modulusBytes)), Uint8Array.of(2, 3), new Uint8Array(modulusBytes).fill(5))
    const call = (rules: typeof AFTER, modulusBytes: number) => runCall({ rules, to: MODEXP, data: input(modulusBytes), gas: 10_000_000n })
    assert.equal((await call(BEFORE, 1_025)).status, 'success')
    assert.equal((await call(AFTER, 1_025)).status, 'halt')
    assert.equal((await call(AFTER, 1_024)).status, 'success')
  })

  it('charges at least 500 gas for MODEXP instead of 200 (EIP-7883)', async () => {
    const used = async (rules: typeof AFTER) => 10_000n - (await runCall({ rules, to: MODEXP, gas: 10_000n })).gasLeft
    assert.deepEqual([await used(BEFORE), await used(AFTER)], [200n, 500n])
  })

  it('counts leading zeros (EIP-7939)', async () => {
    const accounts = [{ address: CONTRACT, code: hexToBytes('0x60011e60005260206000f3') }]
    const call = (rules: typeof AFTER) => runCall({ rules, to: CONTRACT, gas: 100_000n, accounts })
    assert.equal((await call(BEFORE)).status, 'halt')
    assert.equal(bytesToHex((await call(AFTER)).output), bytesToHex(word(255n)))
  })
})
