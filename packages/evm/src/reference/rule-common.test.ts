import assert from 'node:assert/strict'
import { ETH_FORKS, l1ForkRules } from '@keelson/chainspec'
import { RuleCommon } from './rule-common.ts'

describe('rules of the reference engine', () => {
  it('exist for every L1 fork up to Osaka; Amsterdam is rejected with the alternative', () => {
    for (const fork of ETH_FORKS.filter((name) => name !== 'amsterdam')) {
      assert.equal(new RuleCommon(l1ForkRules(fork), 5n, {}).chainId(), 5n, fork)
    }
    assert.throws(() => new RuleCommon(l1ForkRules('amsterdam'), 5n, {}), {
      code: 'evm/misuse',
      message: /does not execute blocks of L1 fork amsterdam: .* simulate L1 under osaka or an earlier fork/,
    })
  })
})
