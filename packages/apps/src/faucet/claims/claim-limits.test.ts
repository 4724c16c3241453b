import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { addressOf } from '../../../../../test/support/faucet-world.ts'
import { ClaimLimits } from './claim-limits.ts'
import { createQuotaLedger } from './quota-ledger.ts'

const DAY_MS = 86_400_000

describe('limits of claims', () => {
  it('allow a claim within the quotas while the clock advances between any two reads of it', () => {
    let nowMs = 1_000 * DAY_MS
    const quota = (claims: number) => ({ claims, windowMs: DAY_MS })
    const ledger = createQuotaLedger({
      perSubscriber: quota(2),
      perNetwork: { site: quota(10), network: quota(10), provider: quota(10) },
      budget: quota(10),
    })
    const limits = new ClaimLimits(
      { amountWei: 1n, maxUnsettled: 10 },
      {
        records: { unsettledCount: 0 },
        ledger,
        tiers: { tierOf: () => 'anonymous' },
        treasury: { balanceWei: null, trouble: () => null },
        clock: { ...createManualClock(), nowMs: () => nowMs++ },
      },
    )
    const claim = { address: addressOf(1), subscriber: '10.0.0.1' }
    assert.equal(limits.check(claim.address, claim.subscriber), null)
    ledger.count({ ...claim, id: 1, atMs: nowMs, noticedMs: null }, nowMs)
    assert.equal(limits.check(claim.address, claim.subscriber)?.reason, 'address-limit')
    assert.equal(limits.check(addressOf(2), claim.subscriber), null)
  })
})
