import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { concatBytes, toAddress } from '@keelson/primitives'
import { encodeParameters, functionSelector } from '../abi/abi-encode.ts'
import type { AbiValue } from '../abi/abi-type.ts'
import { findStakingRefusal, formatTokens } from './staking-errors.ts'

interface AbiEntry {
  readonly type: string
  readonly name: string
  readonly inputs: readonly { readonly type: string }[]
}

const { abi } = JSON.parse(readFileSync(join(import.meta.dirname, '../../artifacts/own/Staking.json'), 'utf8')) as { abi: AbiEntry[] }
const SAMPLE: Readonly<Record<string, AbiValue>> = {
  address: toAddress(`0x${'11'.repeat(20)}`),
  uint256: 1_500_000_000_000_000_000n,
  bytes32: new Uint8Array(32).fill(7),
  string: 'a reason',
}

function encoded(name: string, types: readonly string[], values: readonly AbiValue[]): Uint8Array {
  return concatBytes(functionSelector(`${name}(${types.join(',')})`), encodeParameters(types.join(','), values))
}

describe('refusals of the Staking contract', () => {
  it('have a text for every error of the contract', () => {
    const errors = abi.filter(({ type }) => type === 'error')
    assert.ok(errors.length > 30)
    for (const { name, inputs } of errors) {
      const types = inputs.map(({ type }) => type)
      const refusal = findStakingRefusal(
        encoded(
          name,
          types,
          types.map((type) => SAMPLE[type] as AbiValue),
        ),
      )
      assert.equal(refusal?.name, name)
      assert.doesNotMatch(refusal?.words ?? '', /undefined|\[object/)
    }
  })

  it('show amounts in tokens', () => {
    const refusal = findStakingRefusal(encoded('BelowMinimum', ['uint256', 'uint256'], [999n * 10n ** 18n, 1000n * 10n ** 18n]))
    assert.match(refusal?.words ?? '', /would be 999, at least 1000 are required/)
    assert.deepEqual([0n, 1n, -15n * 10n ** 17n].map(formatTokens), ['0', '0.000000000000000001', '-1.5'])
  })

  it('exclude other errors and truncated data', () => {
    const whole = encoded('TooEarly', ['uint256'], [5n])
    assert.equal(findStakingRefusal(whole.subarray(0, 20)), null)
    assert.equal(findStakingRefusal(new Uint8Array(0)), null)
    assert.equal(findStakingRefusal(encoded('Error', ['string'], ['no'])), null)
  })
})
