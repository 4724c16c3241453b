import assert from 'node:assert/strict'
import { expectLittleCpu } from '../../../../../test/support/cpu-time.ts'
import { apartFromIntegers } from './inexact-numbers.ts'

describe('JSON numbers that are no doubles', () => {
  // IEEE 754: doubles near 10^18 are 128 apart, those near 10^30 2^47, those in [8192, 16384) 2^-39, those in [0.5, 1) 2^-53.
  for (const [written, read] of [
    ['1000000000000000000', 1e18],
    ['1000000000000000001', 1e18 + 128],
    ['1000000000000000000.5', 1e18 + 128],
    ['1000000000000000000.0', 1e18],
    ['999999999999999999', 1e18 - 128],
    ['-1000000000000000001', -(1e18 + 128)],
    ['1000000000000000019884624838656', 1e30 + 2 ** 47],
    ['1e30', 1e30],
    ['1e23', 1e23],
    ['100000000000000000000000', 1e23],
    ['1000000000000000019884624838657', 1e30 + 2 ** 47],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740994],
    ['1e18', 1e18],
    ['1.000000000000000001e18', 1e18 + 128],
    ['1000000000000000001e0', 1e18 + 128],
    ['10000.0000000000000001', 10000 + 2 ** -39],
    ['10000.0000000000000000', 10000],
    ['0.99999999999999999999', 1 - 2 ** -53],
    ['1.00000000000000000001', 1 + 2 ** -52],
    ['-1e-400', -Number.MIN_VALUE],
    ['1e-400', Number.MIN_VALUE],
    ['0e-400', 0],
    ['0.3', 0.3],
    ['2.5e-3', 0.0025],
    ['0.1000000000000000055', 0.1],
  ] as const)
    it(`become an integer only if they are one: ${written}`, () => assert.equal(JSON.parse(apartFromIntegers(written)), read))

  it('leave texts as they are', () => {
    const text = '{"a":"1000000000000000001","b\\"1000000000000000001":[1,-2.5e3,true,"\\\\"]}'
    assert.equal(apartFromIntegers(text), text)
    assert.deepEqual(JSON.parse(apartFromIntegers('{"x":["1000000000000000001\\"",1000000000000000001]}')), {
      x: ['1000000000000000001"', 1e18 + 128],
    })
  })

  it('are found in little time', () => {
    const judge = expectLittleCpu()
    for (const text of [
      '1'.repeat(1_000_000),
      `1.${'0'.repeat(1_000_000)}1`,
      `-0.${'0'.repeat(1_000_000)}1`,
      `"${'\\"1'.repeat(300_000)}"`,
      `[${Array(19_000).fill('1000000000000000001').join()}]`,
    ])
      apartFromIntegers(text)
    judge('reading them')
  })
})
