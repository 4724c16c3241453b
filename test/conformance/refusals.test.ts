import assert from 'node:assert/strict'
import { allowedReasons, assertRefused, unlistedNames } from './refusals.ts'

describe('the reasons for rejections', () => {
  it('fail a block that is rejected for another reason than the test names', () => {
    const refusal = { reason: 'gas-used', message: 'block 1: gas-used' } as const
    assertRefused(refusal, 'BlockException.INVALID_GAS_USED', 'block 1')
    assert.throws(
      () => assertRefused(refusal, 'BlockException.INVALID_STATE_ROOT', 'block 1'),
      /INVALID_STATE_ROOT \(state-root\), but is for gas-used/,
    )
    assert.throws(() => assertRefused(null, 'BlockException.INVALID_GAS_USED', 'block 1'), /should be refused/)
  })

  it('accept alternatives and the names of older fillers', () => {
    const both = allowedReasons('TransactionException.NONCE_IS_MAX|BlockException.INVALID_BLOCK_NUMBER')
    assert.deepEqual([...(both ?? [])], ['nonce-max', 'number'])
    assert.ok(allowedReasons('TR_FeeCapLessThanBlocksORGasLimitReached')?.has('block-gas-limit'))
    assert.deepEqual([...(allowedReasons('TR_NonceTooLow') ?? [])], ['nonce-too-low'])
    assertRefused(
      { reason: 'number', message: 'block 1: number' },
      ['BlockException.INVALID_BLOCK_NUMBER', 'BlockException.UNKNOWN_PARENT'],
      'block 1',
    )
  })

  it('include the reason for an invalid ommer', () => {
    const refusal = { reason: 'ommers', ommerReason: 'difficulty', message: 'ommer 0x01: difficulty' } as const
    assertRefused(refusal, 'InvalidDifficulty', 'block 3')
    assertRefused(refusal, 'BlockException.UNCLE_PARENT_INCORRECT', 'block 3')
    assert.throws(() => assertRefused(refusal, 'InvalidNumber', 'block 3'))
  })

  it('judge an unknown name by the verdict, and list it', () => {
    const refusal = { reason: 'gas-used', message: 'block 1: gas-used' } as const
    for (const name of ['BlockException.OF_TOMORROW', 'TR_OfYesterday', 'OfTwoORThree', 'BlockException.UNKNOWN_PARENT|Strange']) {
      assertRefused(refusal, name, 'block 1')
      assert.throws(() => assertRefused(null, name, 'block 1'), /should be refused/)
    }
    for (const name of ['BlockException.OF_TOMORROW', 'TR_OfYesterday', 'OfTwoORThree', 'Strange'])
      assert.ok(unlistedNames().includes(name))
    assert.ok(!unlistedNames().includes('BlockException.UNKNOWN_PARENT'))
  })
})
