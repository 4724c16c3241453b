import assert from 'node:assert/strict'
import { ETH_FORKS, l1ForkRules } from '@keelson/chainspec'
import { runCall } from '../../../../test/support/evm-call.ts'
import { BOB, engine } from '../../../../test/support/evm-world.ts'

describe('rules of the WASM engine', () => {
  for (const fork of ETH_FORKS.filter((name) => name !== 'amsterdam')) {
    it(`exist for ${fork}`, async () => {
      const result = await runCall({
        rules: l1ForkRules(fork),
        to: BOB,
        gas: 100_000n,
        accounts: [{ address: BOB, code: Uint8Array.of(0) }],
      })
      assert.deepEqual([result.status, result.gasLeft], ['success', 100_000n])
    })
  }

  it('are refused for Amsterdam, with the alternative', async () => {
    assert.throws(() => engine.precompiles(l1ForkRules('amsterdam')), {
      code: 'evm/misuse',
      message: /does not execute blocks of L1 fork amsterdam: .* simulate L1 under osaka or an earlier fork/,
    })
    await assert.rejects(runCall({ rules: l1ForkRules('amsterdam'), to: BOB, gas: 100_000n }), { code: 'evm/misuse' })
  })
})
