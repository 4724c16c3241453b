import assert from 'node:assert/strict'
import { refuseForeignOptions } from '../../command.ts'
import { foreignOption } from './foreign-options.ts'
import { devnetOptions } from './options.ts'

describe('options of anvil and Hardhat on a development network', () => {
  it('are refused with what works instead', () => {
    const url = 'https://mainnet.optimism.io'
    for (const [flag, value, expected] of [
      ['fork', url, /^--fork is not possible here: .*anvil --fork-url URL.*execution --network op-mainnet/],
      ['fork-url', url, /anvil --fork-url URL/],
      ['rpc-url', url, /anvil --fork-url URL/],
      ['fork-block-number', '5', /anvil --fork-url URL/],
      ['network', 'op-mainnet', /execution --network op-mainnet/],
      ['instant', true, /one block time younger than its parent.*5 s ahead.*sequencer drift.*devnet --fresh --block-time 1/],
      ['no-mining', true, /a block for every block time/],
      ['dump-state', 'file', /devnet snapshot NAME/],
      ['auto-impersonate', true, /a deposit from an account that L1 impersonates/],
    ] as const)
      assert.throws(() => refuseForeignOptions({ foreignOption }, { [flag]: value }), { code: 'node/usage', message: expected }, flag)
  })

  it('are not those that it has', () => {
    for (const { flag } of Object.values(devnetOptions)) assert.equal(foreignOption(flag, 'karst'), null, flag)
    assert.equal(foreignOption('toString', true), null)
  })
})
