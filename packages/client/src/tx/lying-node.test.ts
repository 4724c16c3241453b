import assert from 'node:assert/strict'
import { rpcFailure } from '../fake-rpc.test-support.ts'
import type { FakeL1 } from './fake-l1.test-support.ts'
import { UNLIMITED_FEES } from './fees.ts'
import { type Bench, createBench } from './tx-manager.test-support.ts'

describe('transaction manager, an L1 node that lies', () => {
  let bench: Bench
  let l1: FakeL1

  beforeEach(() => {
    bench = createBench()
    ;({ l1 } = bench)
  })

  describe('claims that a transaction of unknown origin keeps ours out of its pool', () => {
    const TIP = 10n ** 15n
    const tipCap = { baseFeeMultiple: 2n, floorWei: 500n, option: '--max-tip' }
    const limits = {
      'the price of a cancellation': { policy: { ...UNLIMITED_FEES, tipCap } },
      'what it may cost': {},
      'what an hour may cost': { maxCostWei: 2n ** 255n, maxSpendPerHourWei: 10n ** 12n },
    }
    for (const [name, options] of Object.entries(limits)) {
      it(`and does not get it past the limit of ${name}, which is said once`, async () => {
        l1.balanceWei = 10n ** 30n
        let claims = true
        l1.onSend = (tx) => {
          if (claims && tx.data.length > 0) throw rpcFailure(-32000, 'address already reserved')
        }
        const manager = bench.create(options)
        const receipt = bench.send(1)
        while (l1.sent.length === 0) await bench.clock.advance(0)
        await manager.step()
        l1.tipWei = TIP
        for (let i = 0; i < 3; i++) {
          await bench.clock.advance(10_000)
          await manager.step()
        }
        assert.deepEqual(
          l1.sent.filter(({ data }) => data.length === 0),
          [],
        )
        assert.equal(bench.log.matching('may not be cancelled').length, 1)
        assert.match(manager.trouble()?.reason ?? '', /nonce 0 waits: .*unknown origin.* cannot be cancelled: /)
        claims = false
        await manager.step()
        assert.equal(manager.trouble(), null)
        l1.mine()
        await manager.step()
        assert.equal((await receipt).succeeded, true)
      })
    }
  })
})
