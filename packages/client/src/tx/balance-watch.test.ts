import assert from 'node:assert/strict'
import { toAddress } from '@keelson/primitives'
import { createManualClock, createMetrics } from '@keelson/runtime'
import { createRecordingLogger } from '../../../../test/support/recording-logger.ts'
import { createBalanceWatch } from './balance-watch.ts'

describe('balance watch', () => {
  it('says once that funds run out, and once that they are back', async () => {
    let balanceWei = 100n * 10n ** 9n
    const log = createRecordingLogger()
    const metrics = createMetrics('watch')
    const account = { chain: 'L1' as const, address: toAddress(`0x${'0a'.repeat(20)}`), balanceWei: async () => balanceWei }
    const watch = createBalanceWatch({ lowWei: 50n * 10n ** 9n }, { account, clock: createManualClock(), log, metrics })
    assert.equal(watch.balanceWei, null)
    for (const gwei of [100n, 49n, 48n, 50n, 51n]) {
      balanceWei = gwei * 10n ** 9n
      await watch.step()
      assert.equal(watch.balanceWei, balanceWei)
    }
    assert.equal(log.matching('running out of funds').length, 1)
    assert.equal(log.matching('the L1 account has funds again').length, 1)
    assert.match((await metrics.render()).text, /watch_l1_balance_gwei 51\nwatch_l1_balance_low 0|watch_l1_balance_low 0/)
  })

  it('looks at intervals while it runs, and lives through an L1 that does not answer', async () => {
    let asked = 0
    const clock = createManualClock()
    const account = {
      chain: 'L2' as const,
      address: toAddress(`0x${'0a'.repeat(20)}`),
      balanceWei: async () => {
        asked++
        if (asked === 1) throw new Error('connection refused')
        return 7n
      },
    }
    const watch = createBalanceWatch({ lowWei: 0n, intervalMs: 1000 }, { account, clock, log: createRecordingLogger() })
    await watch.start(new AbortController().signal)
    await clock.advance(2000)
    assert.equal(asked, 3)
    assert.equal(watch.balanceWei, 7n)
    await watch.stop()
    await clock.advance(5000)
    assert.equal(asked, 3)
  })
})
