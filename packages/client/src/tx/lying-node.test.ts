import assert from 'node:assert/strict'
import { formatQuantity } from '@keelson/primitives'
import { createRecordingLogger, type RecordingLogger } from '../../../../test/support/recording-logger.ts'
import { rpcFailure } from '../fake-rpc.test-support.ts'
import type { FakeL1 } from './fake-l1.test-support.ts'
import { UNLIMITED_FEES } from './fees.ts'
import { type Bench, createBench } from './tx-manager.test-support.ts'
import type { TransactionManager } from './tx-manager.ts'

describe('transaction manager, an L1 node that lies', () => {
  let bench: Bench
  let log: RecordingLogger
  let l1: FakeL1

  beforeEach(() => {
    log = createRecordingLogger()
    bench = createBench('L1', undefined, log)
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
        assert.equal(log.matching('may not be cancelled').length, 1)
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
  let log: RecordingLogger
  let l1: FakeL1

  beforeEach(() => {
    log = createRecordingLogger()
    bench = createBench('L1', undefined, log)
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
    assert.equal(log.matching('paid more than was signed').length, 1)
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

describe('transaction manager, a node that does not take what it took before', () => {
  let bench: Bench
  let log: RecordingLogger
  let l1: FakeL1
  let manager: TransactionManager

  async function heads(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      l1.mine()
      await bench.clock.advance(10_000)
      await manager.step()
    }
  }

  beforeEach(async () => {
    log = createRecordingLogger()
    bench = createBench('L1', undefined, log)
    ;({ l1 } = bench)
    manager = bench.create()
  })

  for (const answer of [
    'txpool is full',
    'insufficient funds for gas * price + value',
    'nonce too low: next nonce 1, tx nonce 0',
  ] as const) {
    it(`says once that it answers "${answer}", and once that the transaction is taken again`, async () => {
      const receipt = bench.send(1)
      await bench.placed(1)
      l1.pool.clear()
      l1.onSend = () => {
        throw rpcFailure(-32000, answer)
      }
      await heads(5)
      assert.equal(log.matching('does not take a transaction').length, 1)
      assert.ok(manager.trouble()?.reason.startsWith('L1 does not take the transaction with nonce 0: '), manager.trouble()?.reason)
      assert.ok(manager.trouble()?.reason.endsWith(answer))
      l1.onSend = () => undefined
      await heads(2)
      assert.equal(manager.trouble(), null)
      assert.equal(log.matching('takes a transaction that it did not take').length, 1)
      assert.equal((await receipt).succeeded, true)
    })
  }

  it('says it of a transaction that it never took', async () => {
    l1.onSend = () => {
      throw rpcFailure(-32000, 'txpool is full')
    }
    void bench.send(1).catch(() => undefined)
    while (l1.sent.length === 0) await bench.clock.advance(0)
    await heads(3)
    assert.equal(log.matching('does not take a transaction').length, 1)
  })

  it('gives up what it refuses for good, with those behind, so that new ones take the nonces', async () => {
    const lost = [bench.send(1), bench.send(2)]
    const reasons = Promise.all(lost.map((sent) => sent.catch((error: Error) => error.message)))
    await bench.placed(2)
    l1.pool.clear()
    l1.onSend = ({ data }) => {
      if (data[0] === 1) throw rpcFailure(-32000, 'intrinsic gas too low')
    }
    await heads(4)
    for (const reason of await reasons) assert.match(String(reason), /was abandoned: L1 does not take .*intrinsic gas too low/)
    const next = bench.send(3)
    while (l1.pool.get(0n)?.data[0] !== 3) await bench.clock.advance(0)
    await heads(2)
    assert.equal((await next).succeeded, true)
  })

  it('keeps what it refuses while it still has an earlier version', async () => {
    const receipt = bench.send(1)
    await bench.placed(1)
    l1.baseFeeWei = 10n ** 6n
    l1.onSend = () => {
      throw rpcFailure(-32000, 'exceeds block gas limit')
    }
    await heads(6)
    assert.deepEqual(await bench.journaled(), [0n])
    l1.baseFeeWei = 1000n
    await heads(1)
    assert.equal((await receipt).succeeded, true)
  })

  it('says once that a receipt is of a block beyond its head, and settles when the head is there', async () => {
    const receipt = bench.send(1)
    await bench.placed(1)
    l1.mine()
    const { eth_getTransactionReceipt: honest } = l1.rpc.methods
    l1.rpc.methods.eth_getTransactionReceipt = ((hash: string) => ({
      ...(honest?.(hash as never) as object),
      blockNumber: '0xffffff',
    })) as never
    await heads(5)
    assert.equal(log.matching('cannot tell whether a transaction was mined').length, 1)
    assert.match(manager.trouble()?.reason ?? '', /in block 16777215, beyond its head 4; use another node/)
    l1.rpc.methods.eth_getTransactionReceipt = honest as never
    await manager.step()
    assert.equal((await receipt).succeeded, true)
    assert.equal(manager.trouble(), null)
  })

  it('forgets its doubts when a nonce that seemed used is free again', async () => {
    const receipt = bench.send(1)
    await bench.placed(1)
    const pool = new Map(l1.pool)
    l1.pool.clear()
    const { eth_getTransactionCount: honest } = l1.rpc.methods
    l1.rpc.methods.eth_getTransactionCount = () => '0x1'
    await heads(4)
    assert.match(manager.trouble()?.reason ?? '', /nonce 0 is used by an unknown transaction/)
    l1.rpc.methods.eth_getTransactionCount = honest as never
    await manager.step()
    assert.equal(manager.trouble(), null)
    for (const [nonce, tx] of pool) l1.pool.set(nonce, tx)
    await heads(2)
    assert.equal((await receipt).succeeded, true)
  })

  it('says each reason once when the look at the transactions fails, and when it works again', async () => {
    const receipt = bench.send(1)
    await bench.placed(1)
    const { eth_blockNumber: honest } = l1.rpc.methods
    l1.rpc.methods.eth_blockNumber = () => 'garbage'
    const stopping = new AbortController()
    await manager.start(stopping.signal)
    for (let i = 0; i < 10; i++) await bench.clock.advance(1000)
    assert.equal(log.matching('looking after transactions failed').length, 1)
    assert.match(manager.trouble()?.reason ?? '', /eth_blockNumber/)
    l1.rpc.methods.eth_blockNumber = honest as never
    l1.mine()
    for (let i = 0; i < 3; i++) await bench.clock.advance(1000)
    assert.equal(log.matching('looking after transactions works again').length, 1)
    assert.equal((await receipt).succeeded, true)
    stopping.abort()
    await manager.stop()
  })
})
