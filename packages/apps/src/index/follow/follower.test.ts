import assert from 'node:assert/strict'
import { type Address, bytesToHex, ZERO_ADDRESS } from '@keelson/primitives'
import fc from 'fast-check'
import { INDEX_ENGINES } from '../../../../../test/support/index/index-engines.ts'
import {
  EMITTER,
  emptyIndex,
  type IndexedWorld,
  openIndexedWorld,
  openTestIndex,
  type Send,
  type TestIndex,
  transfer20,
  transfer721,
  withdraw,
} from '../../../../../test/support/index/index-world.ts'
import type { IndexedChain } from '../chain/ports.ts'
import { listWithdrawals } from '../queries/l1-queries.ts'
import type { Database } from '../storage/database.ts'

for (const engine of INDEX_ENGINES) {
  describe(`the follower of the index in ${engine.name}`, () => {
    let world: IndexedWorld
    let db: Database
    let second: Database
    let index: TestIndex
    let opened: Awaited<ReturnType<typeof engine.open>>
    before(async () => {
      opened = await engine.open()
      db = opened.first
      second = opened.second
    })
    after(() => opened.close())
    beforeEach(async () => {
      world = await openIndexedWorld()
      index = await openTestIndex(world, db)
      await openTestIndex(world, second)
      await emptyIndex(db)
    })
    afterEach(() => world.stop())
    const address = (i: number) => world.execution.accounts[i]?.address as Address
    const balanceOf = async (i: number) => {
      const rows = await db.query<{ balance: string }>(
        `select balance from token_balances where encode(holder, 'hex') = '${address(i).slice(2)}' and encode(token, 'hex') = '${EMITTER.slice(2)}'`,
      )
      return rows[0]?.balance ?? null
    }
    const freshContents = async () => {
      await emptyIndex(second)
      const fresh = await openTestIndex(world, second)
      await fresh.follower.step()
      return fresh.contents()
    }

    it('indexes blocks, transactions, logs, transfers and addresses', async () => {
      await world.mine([{ from: 0, to: address(1), valueWei: 7n }])
      const last = await world.mine([
        transfer20(0, ZERO_ADDRESS, address(2), 100n),
        transfer20(1, address(2), address(3), 30n),
        transfer721(2, ZERO_ADDRESS, address(4), 9n),
      ])
      await index.follower.step()
      assert.deepEqual(await index.store.cursor(), { number: 2, hash: last.hash })
      const { blocks, transactions, logs, token_transfers, tokens, hours } = await index.contents()
      assert.deepEqual([blocks?.length, transactions?.length, logs?.length, token_transfers?.length, tokens?.length], [3, 6, 3, 3, 2])
      assert.equal(hours?.length, 1)
      assert.deepEqual([await balanceOf(2), await balanceOf(3), await balanceOf(4)], ['70', '30', null])
      const [sent] = await db.query<Record<string, unknown>>('select * from transactions where value = 7')
      const receipt = await world.execution.call('eth_getTransactionReceipt', bytesToHex(sent?.hash as Uint8Array))
      assert.deepEqual(
        [bytesToHex(sent?.sender as Uint8Array), bytesToHex(sent?.recipient as Uint8Array), sent?.succeeded],
        [address(0), address(1), true],
      )
      const parts = [receipt.gasUsed, receipt.effectiveGasPrice, receipt.l1Fee, receipt.l1GasUsed, receipt.l1GasPrice]
      assert.deepEqual(
        [sent?.gas_used, sent?.gas_price, sent?.l1_fee, sent?.l1_gas_used, sent?.l1_gas_price],
        parts.map((value) => BigInt(value).toString()),
      )
      const of3 = await db.query('select * from address_transactions where address = $1', [Buffer.from(address(3).slice(2), 'hex')])
      assert.equal(of3.length, 1)
    })

    it('finds withdrawals by initiator, sender and target', async () => {
      const [sender, target] = [address(3), address(4)]
      const { transactions } = await world.mine([withdraw(2, sender, target, 9n)])
      await index.follower.step()
      for (const party of [address(2), sender, target]) {
        const { items } = await listWithdrawals(db, party, { before: null, limit: 50 })
        assert.deepEqual(
          items.map(({ transaction, initiator, from, to, value }) => [transaction, initiator, from, to, value]),
          [[transactions[1]?.hash, address(2), sender, target, '9']],
        )
      }
      assert.deepEqual((await listWithdrawals(db, address(5), { before: null, limit: 50 })).items, [])
    })

    it('removes the blocks of an abandoned branch, and their transfers', async () => {
      const first = await world.mine([transfer20(0, ZERO_ADDRESS, address(2), 100n)])
      await world.mine([transfer20(1, address(2), address(3), 100n)])
      await world.mine([])
      await index.follower.step()
      assert.deepEqual([await balanceOf(2), await balanceOf(3)], [null, '100'])
      const other = await world.mine([{ from: 4, to: address(5), valueWei: 1n }], first.hash)
      await index.follower.step()
      assert.deepEqual(await index.store.cursor(), { number: 2, hash: other.hash })
      assert.deepEqual([await balanceOf(2), await balanceOf(3)], ['100', null])
      assert.deepEqual(await index.contents(), await freshContents())
    })

    it('keeps its blocks while the node is behind', async () => {
      for (let i = 0; i < 3; i++) await world.mine([])
      await index.follower.step()
      const indexed = await index.contents()
      const [at] = await index.store.hashes(1, 1)
      const behind: IndexedChain = { ...world.chain, head: async () => at as { number: number; hash: never } }
      await (await openTestIndex(world, db, behind)).follower.step()
      assert.deepEqual(await index.contents(), indexed)
    })

    it('continues where the last transaction of the database ended', async () => {
      for (let i = 0; i < 25; i++) await world.mine([transfer20(i % 4, ZERO_ADDRESS, address(i % 5), 1n)])
      let writes = 0
      const killed: Database = {
        ...db,
        write: (run) => {
          writes++
          if (writes !== 2) return db.write(run)
          return db.write((sql) => run(sql).then(() => Promise.reject(new Error('killed before the commit'))))
        },
      }
      await assert.rejects((await openTestIndex(world, killed)).follower.step(), /killed before the commit/)
      assert.equal((await index.store.cursor())?.number, 9)
      await index.follower.step()
      assert.deepEqual(await index.contents(), await freshContents())
    })

    it('writes nothing when another writer moved the index meanwhile', async () => {
      for (let i = 0; i < 3; i++) await world.mine([])
      const blocks = await world.chain.blocks(0, 4)
      await index.store.append(null, blocks.slice(0, 2))
      await assert.rejects(index.store.append(null, blocks.slice(0, 3)), /another writer moved the index to block 1/)
      await index.follower.step()
      assert.deepEqual(await index.contents(), await freshContents())
    })

    it('equals a fresh index of the final chain after any reorgs', async () => {
      const send = fc.record({ kind: fc.nat(3), from: fc.nat(4), to: fc.nat(4), amount: fc.nat(3) })
      const move = fc.record({ back: fc.nat(4), blocks: fc.array(fc.array(send, { maxLength: 3 }), { minLength: 1, maxLength: 5 }) })
      const sendOf = ({ kind, from, to, amount }: { kind: number; from: number; to: number; amount: number }): Send => {
        if (kind === 0) return { from, to: address(to), valueWei: BigInt(amount) }
        if (kind === 3) return withdraw(from, address(from), address(to), BigInt(amount))
        const sender = amount === 0 ? ZERO_ADDRESS : address(from)
        return kind === 1 ? transfer20(from, sender, address(to), BigInt(amount)) : transfer721(from, sender, address(to), BigInt(amount))
      }
      const check = async (moves: readonly { back: number; blocks: readonly (readonly Parameters<typeof sendOf>[0][])[] }[]) => {
        await emptyIndex(db)
        for (const { back, blocks } of moves) {
          const { number } = world.execution.node.chain.label('unsafe').header
          let parent = world.execution.node.chain.canonicalHash(Math.max(0, number - back)) ?? undefined
          for (const sends of blocks) parent = (await world.mine(sends.map(sendOf), parent)).hash
          await index.follower.step()
        }
        assert.deepEqual(await index.contents(), await freshContents())
      }
      await fc.assert(fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 5 }), check), { numRuns: 8 })
    })
  })
}
