import assert from 'node:assert/strict'
import { type Fork, forksAtGenesis } from '@keelson/chainspec'
import { testConfig } from '../../../../../test/support/stage-context.ts'
import { engineVersionsFor } from './engine-versions.ts'

describe('versions of the engine methods', () => {
  // op-node/rollup/types.go; getPayload from Karst on: ethereum-optimism/optimism pull request 21337.
  const expected: readonly (readonly [Fork, forkchoiceUpdated: number, getPayload: number, newPayload: number])[] = [
    ['regolith', 1, 1, 1],
    ['canyon', 2, 2, 2],
    ['ecotone', 3, 3, 3],
    ['granite', 3, 3, 3],
    ['isthmus', 3, 4, 4],
    ['jovian', 3, 4, 4],
    ['karst', 3, 5, 4],
  ]
  for (const [fork, forkchoiceUpdated, getPayload, newPayload] of expected) {
    it(`are ${forkchoiceUpdated}, ${getPayload} and ${newPayload} at ${fork}`, () => {
      assert.deepEqual(engineVersionsFor(testConfig(forksAtGenesis(fork)))(1), { forkchoiceUpdated, getPayload, newPayload })
    })
  }

  it('change with the block that activates a fork', () => {
    const versions = engineVersionsFor(testConfig({ ...forksAtGenesis('jovian'), karst: 20_000 }))
    assert.deepEqual([versions(19_999).getPayload, versions(20_000).getPayload], [4, 5])
  })
})
