import assert from 'node:assert/strict'
import { blockOn, GENESIS } from './conductor.test-support.ts'
import { KEPT_PAYLOADS, type Ledger } from './ports.ts'

/** One empty store. */
export interface LedgerFixture {
  /** A new process over the same store, for the candidates `a` and `b`; the one before is gone. */
  open(): Promise<Ledger>
  close(): Promise<void>
}

/** What every implementation of the port has to do. */
export function describeLedger(name: string, create: () => Promise<LedgerFixture>): void {
  describe(name, () => {
    let fixture: LedgerFixture
    let ledger: Ledger
    beforeEach(async () => {
      fixture = await create()
      ledger = await fixture.open()
    })
    afterEach(() => fixture.close())

    const begin = async () => {
      assert.equal(await ledger.grant('a', 0), true)
      assert.equal(await ledger.adopt(1, GENESIS), true)
    }

    it('begins without a leader and without a block', async () => {
      await ledger.refresh()
      assert.deepEqual([ledger.lease, ledger.head, ledger.blockAt(0), await ledger.payloadAt(0)], [null, null, null, null])
    })

    it('grants leadership with a term that grows, and only over the newest term', async () => {
      assert.equal(await ledger.grant('a', 0), true)
      assert.deepEqual(ledger.lease, { term: 1, holder: 'a' })
      assert.equal(await ledger.grant('b', 0), false)
      assert.equal(await ledger.grant('b', 1), true)
      assert.deepEqual(ledger.lease, { term: 2, holder: 'b' })
    })

    it('records one block at a height, each on its predecessor', async () => {
      await begin()
      const one = blockOn(GENESIS)
      assert.equal(await ledger.append(1, one), true)
      for (const other of [blockOn(GENESIS, 1), blockOn(GENESIS), blockOn(blockOn(one.block).block), blockOn(blockOn(GENESIS, 1).block)])
        assert.equal(await ledger.append(1, other), false)
      assert.deepEqual(ledger.head, { number: 1, hash: one.block.hash })
      assert.deepEqual(ledger.blockAt(1), { number: 1, hash: one.block.hash, parentHash: GENESIS.hash })
      assert.deepEqual((await ledger.payloadAt(1))?.payload, one.payload)
    })

    it('refuses blocks and heads of an older term', async () => {
      await begin()
      assert.equal(await ledger.grant('b', 1), true)
      assert.equal(await ledger.append(1, blockOn(GENESIS)), false)
      assert.equal(await ledger.adopt(1, blockOn(GENESIS).block), false)
      assert.deepEqual(ledger.head, { number: 0, hash: GENESIS.hash })
    })

    it('keeps the blocks below an adopted head, and none when it is on another chain', async () => {
      await begin()
      const one = blockOn(GENESIS)
      const two = blockOn(one.block)
      for (const block of [one, two, blockOn(two.block)]) await ledger.append(1, block)
      await ledger.adopt(1, two.block)
      assert.deepEqual([ledger.blockAt(1)?.hash, ledger.blockAt(2)?.hash, ledger.blockAt(3)], [one.block.hash, two.block.hash, null])
      await ledger.adopt(1, blockOn(one.block, 5).block)
      assert.deepEqual([ledger.blockAt(1), ledger.blockAt(2), ledger.head?.number], [null, null, 2])
    })

    it('knows after a restart who led and what was recorded', async () => {
      await begin()
      const one = blockOn(GENESIS)
      await ledger.append(1, one)
      const again = await fixture.open()
      await again.refresh()
      assert.equal(again.lease?.term, 1)
      assert.equal(again.head?.hash, one.block.hash)
      assert.deepEqual((await again.payloadAt(1))?.payload, one.payload)
      assert.equal(again.blockAt(1)?.parentHash, GENESIS.hash)
    })

    it('keeps a block of 10 MiB, the largest that gossip carries', async () => {
      await begin()
      const block = blockOn(GENESIS)
      const transactions = Array.from({ length: 100 }, (_, i) => new Uint8Array(104_000).fill(i))
      assert.equal(await ledger.append(1, { ...block, payload: { ...block.payload, transactions } }), true)
      const again = await fixture.open()
      await again.refresh()
      assert.deepEqual((await again.payloadAt(1))?.payload.transactions, transactions)
    })

    it(`keeps ${KEPT_PAYLOADS} blocks, and no more`, async () => {
      await begin()
      let parent = GENESIS
      for (let i = 0; i < KEPT_PAYLOADS + 2; i++) {
        const next = blockOn(parent)
        assert.equal(await ledger.append(1, next), true)
        parent = next.block
      }
      for (const known of [ledger, await fixture.open()]) {
        await known.refresh()
        assert.deepEqual([await known.payloadAt(2), known.blockAt(2)], [null, null])
        assert.equal((await known.payloadAt(3))?.payload.blockNumber, 3)
        assert.equal(known.blockAt(KEPT_PAYLOADS + 2)?.hash, parent.hash)
        assert.equal(known.blockAt(KEPT_PAYLOADS + 3), null)
      }
    })
  })
}
