import assert from 'node:assert/strict'
import { type SignedTransaction, TX_BLOB } from '@keelson/primitives'
import { createMetrics, type ManualClock } from '@keelson/runtime'
import { BLOB_BYTES } from '../beacon/verify-blobs.ts'
import { rpcFailure } from '../fake-rpc.test-support.ts'
import type { FakeL1 } from './fake-l1.test-support.ts'
import { UNLIMITED_FEES } from './fees.ts'
import { type Bench, createBench, inbox } from './tx-manager.test-support.ts'

const offer = (tx: SignedTransaction | undefined) =>
  tx !== undefined && 'maxFeePerGasWei' in tx ? [tx.maxPriorityFeePerGasWei, tx.maxFeePerGasWei] : []
const FEE_WEI = 21_000n * 1100n
const WORST_WEI = 23_100n * 2100n

describe('transaction manager, spending', () => {
  let bench: Bench
  let l1: FakeL1
  let clock: ManualClock

  beforeEach(() => {
    bench = createBench()
    ;({ l1, clock } = bench)
  })

  it('offers at least the configured minimum', async () => {
    bench.create({ policy: { ...UNLIMITED_FEES, minTipWei: 300n, minBaseFeeWei: 5000n } })
    void bench.send(1).catch(() => undefined)
    await bench.placed(1)
    assert.deepEqual(offer(l1.pool.get(0n)), [300n, 10_300n])
  })

  it('sends nothing new once the chain has a fork that is not implemented, and says what to install', async () => {
    let fork: string | null = null
    const manager = bench.create({ unsupportedFork: () => fork })
    void bench.send(1).catch(() => undefined)
    await bench.placed(1)
    fork = 'fork bogota of L1 activated; install a release that implements bogota'
    await assert.rejects(bench.send(2), { code: 'client/unsupported-fork', severity: 'temporary', message: /was not sent: fork bogota/ })
    assert.match(manager.trouble()?.reason ?? '', /install a release that implements bogota/)
    assert.equal(l1.pool.size, 1)
  })

  it('sends nothing while L1 asks for more than it may pay, and says which limit it is', async () => {
    const manager = bench.create({ policy: { ...UNLIMITED_FEES, maxBaseFeeWei: 999n } })
    await assert.rejects(bench.send(1), { code: 'client/spending-limit', severity: 'temporary', message: /base fee.*--txmgr\.max-basefee/ })
    assert.match(manager.trouble()?.reason ?? '', /max-basefee/)
    l1.baseFeeWei = 999n
    const receipt = bench.send(2)
    await bench.placed(1)
    assert.equal(manager.trouble(), null)
    l1.mine()
    await manager.step()
    await receipt
    assert.deepEqual(
      l1.mined().map(({ data }) => data[0]),
      [2],
    )
  })

  it('pays no tip that a lying node asks for: beyond the cap nothing is sent, and what was asked and the cap are named', async () => {
    const tipCap = { baseFeeMultiple: 2n, floorWei: 500n, option: '--max-tip' }
    bench.create({ maxCostWei: 2n ** 255n, policy: { ...UNLIMITED_FEES, tipCap } })
    l1.balanceWei = 10n ** 24n
    l1.tipWei = 10n ** 18n
    await assert.rejects(bench.send(1), {
      code: 'client/spending-limit',
      message: /asks for a tip of 1000000000000000000 wei a unit of gas at a base fee of 1000, the cap is 2000 \(--max-tip\)/,
    })
    l1.baseFeeWei = 10n
    l1.tipWei = 501n
    await assert.rejects(bench.send(1), { message: /the cap is 500 / })
    l1.tipWei = 500n
    void bench.send(1).catch(() => undefined)
    await bench.placed(1)
  })

  it('does not raise a tip beyond its cap either', async () => {
    const tipCap = { baseFeeMultiple: 0n, floorWei: 120n, option: '--max-tip' }
    const manager = bench.create({ policy: { ...UNLIMITED_FEES, tipCap } })
    void bench.send(1).catch(() => undefined)
    await bench.placed(1)
    for (let i = 0; i < 5; i++) {
      await clock.advance(10_000)
      await manager.step()
    }
    assert.deepEqual(offer(l1.pool.get(0n))[0], 110n)
    assert.match(manager.trouble()?.reason ?? '', /the offer would have to be 121, the cap is 120/)
  })

  it('pays no fee beyond its limit, however much value goes along, and names the prices of the node', async () => {
    bench.create({ maxCostWei: 2n ** 255n, maxFee: { wei: WORST_WEI, option: '--max-fee' } })
    l1.balanceWei = 10n ** 24n
    void bench.send(1).catch(() => undefined)
    await bench.placed(1)
    l1.baseFeeWei = 1001n
    await assert.rejects(bench.send(2), {
      code: 'client/spending-limit',
      message: /fee could be \d+ wei \(23100 gas at the prices that the node of L1 gives\), the limit is 48510000 \(--max-fee\)/,
    })
  })

  for (const chain of ['L1', 'L2'] as const) {
    it(`names ${chain} in words and metrics when its account is there, and the option of a limit`, async () => {
      const metrics = createMetrics('test')
      bench = createBench(chain, metrics)
      const other = chain === 'L1' ? 'L2' : 'L1'
      bench.create({ policy: { ...UNLIMITED_FEES, maxBaseFeeWei: 999n } })
      await assert.rejects(bench.send(1), { message: new RegExp(`: ${chain}'s base fee is`) })
      bench.create({ maxCostWei: 1n, maxCostOption: '--at-most' })
      await assert.rejects(bench.send(1), { message: /the limit is 1 \(--at-most\);/ })
      bench.create()
      bench.l1.balanceWei = 0n
      await assert.rejects(bench.send(1), {
        code: 'client/insufficient-funds',
        message: new RegExp(`^${chain} refused .*fund 0x.* on ${chain}$`),
      })
      const { text } = await metrics.render()
      for (const name of [
        'transactions_total',
        'fees_gwei_total',
        'transactions_pending',
        'transactions_held_back',
        'spent_last_hour_gwei',
        'fee_bumps_total',
      ]) {
        assert.match(text, new RegExp(`^# HELP test_${chain.toLowerCase()}_${name} `, 'm'))
      }
      assert.doesNotMatch(text, new RegExp(other, 'i'))
    })
  }

  it('does not raise beyond the multiplier, reports trouble meanwhile, and continues when prices fall', async () => {
    const manager = bench.create({ policy: { ...UNLIMITED_FEES, limitMultiplier: 2n } })
    const receipt = bench.send(1)
    await bench.placed(1)
    for (let i = 0; i < 20; i++) {
      await clock.advance(10_000)
      await manager.step()
    }
    const last = offer(l1.pool.get(0n))[1] as bigint
    assert.ok(last <= 4200n && last > 3800n, `${last}`)
    assert.match(manager.trouble()?.reason ?? '', /nonce 0 waits: .*2 times/)
    l1.baseFeeWei = 3000n
    l1.tipWei = 300n
    await clock.advance(10_000)
    await manager.step()
    assert.ok((offer(l1.pool.get(0n))[1] as bigint) > last)
    assert.equal(manager.trouble(), null)
    l1.mine()
    await manager.step()
    assert.equal((await receipt).succeeded, true)
  })

  it('raises freely below the threshold', async () => {
    const manager = bench.create({ policy: { ...UNLIMITED_FEES, limitMultiplier: 2n, limitThresholdWei: 1_000_000n } })
    void bench.send(1).catch(() => undefined)
    await bench.placed(1)
    for (let i = 0; i < 20; i++) {
      await clock.advance(10_000)
      await manager.step()
    }
    assert.ok((offer(l1.pool.get(0n))[1] as bigint) > 10_000n)
  })

  it('keeps to what an hour may cost, over a restart too', async () => {
    const limit = { maxSpendPerHourWei: WORST_WEI + FEE_WEI }
    let manager = bench.create(limit)
    const first = bench.send(1)
    await bench.placed(1)
    await assert.rejects(bench.send(2), { code: 'client/spending-limit', message: /of what an hour may cost/ })
    l1.mine()
    await manager.step()
    await first
    const second = bench.send(3)
    await bench.placed(1)
    l1.mine()
    await manager.step()
    await second
    manager = bench.create(limit)
    await assert.rejects(bench.send(4), { code: 'client/spending-limit' })
    await clock.advance(3_600_001)
    const third = bench.send(5)
    await bench.placed(1)
    l1.mine()
    await manager.step()
    await third
    assert.deepEqual(
      l1.mined().map(({ data }) => data[0]),
      [1, 3, 5],
    )
  })

  it('tells when a transaction is on its way, and only then', async () => {
    const manager = bench.create()
    let placed = 0
    const onPlaced = () => {
      placed++
    }
    l1.onSend = () => {
      throw rpcFailure(-32000, 'exceeds block gas limit')
    }
    await assert.rejects(manager.send({ to: inbox, data: Uint8Array.of(1), onPlaced }))
    assert.equal(placed, 0)
    l1.onSend = () => undefined
    void manager.send({ to: inbox, data: Uint8Array.of(1), onPlaced }).catch(() => undefined)
    await bench.placed(1)
    await clock.advance(0)
    assert.equal(placed, 1)
  })

  for (const stuck of ['blobs', 'calldata'] as const) {
    it(`cancels ${stuck} of unknown origin that keep its own out of the pool`, async () => {
      const blobs = [new Uint8Array(BLOB_BYTES).fill(3)]
      const send = (kind: 'blobs' | 'calldata', byte: number) =>
        manager.send(kind === 'blobs' ? { to: inbox, data: new Uint8Array(0), blobs } : { to: inbox, data: Uint8Array.of(byte) })
      l1.onSend = (tx) => {
        const other = [...l1.pool.values()].some((waiting) => (waiting.type === TX_BLOB) !== (tx.type === TX_BLOB))
        if (other) throw rpcFailure(-32000, 'address already reserved')
      }
      let manager = bench.create()
      void send(stuck, 1).catch(() => undefined)
      await bench.placed(1)
      bench.forgetJournal()
      manager = bench.create()
      const receipt = send(stuck === 'blobs' ? 'calldata' : 'blobs', 2)
      for (let i = 0; i < 4; i++) await manager.step()
      assert.equal(l1.pool.size, 1)
      await clock.advance(10_000)
      await manager.step()
      const cancellation = l1.pool.get(0n) as SignedTransaction
      assert.deepEqual([cancellation.type === TX_BLOB, cancellation.data.length], [stuck === 'blobs', 0])
      assert.notDeepEqual(cancellation.to && [...cancellation.to], [...Buffer.from(inbox.slice(2), 'hex')])
      l1.mine()
      await manager.step()
      l1.mine()
      await manager.step()
      assert.equal((await receipt).succeeded, true)
      assert.equal(l1.mined().length, 2)
      assert.deepEqual(await bench.journaled(), [])
    })
  }
})
