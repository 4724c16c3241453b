import assert from 'node:assert/strict'
import { opRules } from '../../../../test/support/evm-world.ts'
import { NO_L1_BLOCK_VALUES } from './l1-block-values.ts'
import { operatorFeeWei } from './operator-fee.ts'

const U32 = 2 ** 32 - 1
const U64 = 2n ** 64n - 1n

describe('operator fee', () => {
  const values = { ...NO_L1_BLOCK_VALUES, operatorFeeScalar: 2_500_000, operatorFeeConstant: 7n }

  it('does not exist before its fork', () => {
    assert.equal(operatorFeeWei(21_000n, opRules('holocene'), values), 0n)
  })

  it('is gas times millionths of the scalar plus the constant, rounded down', () => {
    assert.equal(operatorFeeWei(21_000n, opRules('isthmus'), values), 52_507n)
    assert.equal(operatorFeeWei(3n, opRules('isthmus'), { ...values, operatorFeeScalar: 333_333 }), 7n)
  })

  it('is a hundred times the scalar for each gas from Jovian', () => {
    assert.equal(operatorFeeWei(21_000n, opRules('jovian'), values), 21_000n * 2_500_000n * 100n + 7n)
  })

  it('reaches the maxima of the specifications', () => {
    const most = { ...NO_L1_BLOCK_VALUES, operatorFeeScalar: U32, operatorFeeConstant: U64 }
    assert.equal(operatorFeeWei(U64, opRules('isthmus'), most).toString(2).length, 77)
    assert.equal(operatorFeeWei(U64, opRules('jovian'), most).toString(2).length, 103)
  })
})
