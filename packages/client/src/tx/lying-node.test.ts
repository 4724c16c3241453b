import assert from 'node:assert/strict'
import { formatQuantity } from '@keelson/primitives'
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

describe('transaction manager, answers that no chain can give', () => {
  const hash = `0x${'77'.repeat(32)}`
  const huge = formatQuantity(2n ** 256n - 1n)
  let bench: Bench
  let l1: FakeL1

  beforeEach(() => {
    bench = createBench()
    ;({ l1 } = bench)
  })

  /** The receipt of every transaction, with some fields replaced. */
  function receiptsSay(fields: Readonly<Record<string, unknown>>): () => void {
    const { eth_getTransactionReceipt: honest } = l1.rpc.methods
    l1.rpc.methods.eth_getTransactionReceipt = ((asked: string) => {
      const receipt = honest?.(asked as never)
      return receipt === null ? null : { ...(receipt as object), ...fields }
    }) as never
    return () => {
      l1.rpc.methods.eth_getTransactionReceipt = honest as never
    }
  }

  for (const [what, fields] of [
    ['names another transaction', { transactionHash: hash }],
    ['has no status', { status: undefined }],
    ['has a gas price of 2^256-1', { effectiveGasPrice: huge }],
    ['has gas of 2^256-1', { gasUsed: huge }],
  ] as const) {
    it(`takes no receipt that ${what} for an outcome, names the node, and settles when it tells the truth`, async () => {
      const manager = bench.create()
      const receipt = bench.send(1)
      await bench.placed(1)
      l1.mine()
      const tellTheTruth = receiptsSay(fields)
      await assert.rejects(manager.step(), { code: 'client/bad-answer', message: /^fake\.example gave an answer that does not verify: / })
      assert.deepEqual(await bench.journaled(), [0n])
      tellTheTruth()
      await manager.step()
      assert.equal((await receipt).succeeded, true)
    })
  }

  for (const [method, what] of [
    ['eth_getTransactionCount', 'a nonce'],
    ['eth_maxPriorityFeePerGas', 'a tip'],
    ['eth_estimateGas', 'an amount of gas'],
  ] as const) {
    it(`signs nothing with ${what} of 2^256-1, and names the node`, async () => {
      bench.create({ maxCostWei: 2n ** 512n })
      const { [method]: honest } = l1.rpc.methods
      l1.rpc.methods[method] = () => huge
      await assert.rejects(bench.send(1), {
        code: 'client/bad-answer',
        message: new RegExp(`^fake\\.example gave .*${method}: 0xf+ is more`),
      })
      l1.rpc.methods[method] = honest as never
      void bench.send(2).catch(() => undefined)
      await bench.placed(1)
    })
  }

  it('counts no more as paid than was signed, and starts again after it', async () => {
    const options = { maxSpendPerHourWei: 10n ** 8n }
    let manager = bench.create(options)
    const receipt = bench.send(1)
    await bench.placed(1)
    l1.mine()
    receiptsSay({ effectiveGasPrice: formatQuantity(2n ** 127n) })
    await manager.step()
    await receipt
    assert.equal(bench.log.matching('paid more than was signed').length, 1)
    manager = bench.create(options)
    assert.deepEqual(await manager.recover(), [])
    void bench.send(2).catch(() => undefined)
    await bench.placed(1)
  })
})

describe('transaction manager, what an hour may cost while a node makes it give up', () => {
  it('counts what was given up but mined all the same', async () => {
    const bench = createBench()
    const { l1 } = bench
    const limitWei = 3n * 23_100n * 2100n
    const manager = bench.create({ maxSpendPerHourWei: limitWei })
    const { eth_getTransactionCount: honest } = l1.rpc.methods
    let refusal: unknown = null
    for (let round = 0; round < 10 && refusal === null; round++) {
      l1.rpc.methods.eth_getTransactionCount = honest as never
      l1.mineForeign()
      const receipt = bench.send(round).catch((error: unknown) => {
        refusal ??= error
      })
      for (let turns = 0; turns < 100 && l1.pool.size === 0; turns++) await bench.clock.advance(0)
      l1.mine()
      l1.rpc.methods.eth_getTransactionCount = () => '0x0'
      for (let heads = 0; heads < 4; heads++) {
        l1.mine()
        await manager.step()
      }
      await receipt
      if ((refusal as { code?: string } | null)?.code === 'client/nonce-taken') refusal = null
    }
    const paidWei = BigInt(l1.mined().length) * 21_000n * 1100n
    assert.ok(paidWei <= limitWei, `${paidWei} wei of at most ${limitWei}`)
    assert.match(String(refusal), /0 are left of what an hour may cost/)
  })
})
