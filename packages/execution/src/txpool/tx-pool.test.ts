import assert from 'node:assert/strict'
import { encodeSignedTransaction, type SignedTransaction } from '@keelson/primitives'
import { createMemoryStore, type KeyValueStore } from '@keelson/runtime'
import {
  POOL_CHAIN_ID as CHAIN_ID,
  GWEI,
  openPoolWorld,
  type PoolTransactionSpec as Spec,
  poolSender as senderOf,
  poolTransaction as transaction,
} from '../../../../test/support/pool-world.ts'
import { pooledKey } from '../chain/keys.ts'
import type { TxPoolOptions } from './pool-types.ts'
import type { TxPool } from './tx-pool.ts'

const open = (limits: Partial<TxPoolOptions> = {}, store: KeyValueStore = createMemoryStore()) => openPoolWorld({ limits, store })

async function add(pool: TxPool, spec: Spec): Promise<string> {
  const verdict = await pool.add(transaction(spec), 'local')
  return verdict.kind === 'rejected' ? verdict.reason : verdict.kind
}

function order(pool: TxPool, baseFeeWei = GWEI): string[] {
  const selection = pool.best(baseFeeWei)
  const found: string[] = []
  for (let at = selection.peek(); at !== null; at = selection.peek()) {
    found.push(`${at.senderBytes[0]}:${at.tx.nonce}`)
    selection.taken()
  }
  return found
}

describe('transaction pool', () => {
  it('keeps executable and waiting transactions apart, and joins them when the gap closes', async () => {
    const { pool } = open()
    const ready: bigint[] = []
    pool.onExecutable((pooled) => ready.push(pooled.tx.nonce))
    assert.equal(await add(pool, { nonce: 2 }), 'added')
    assert.equal(await add(pool, { nonce: 1 }), 'added')
    assert.deepEqual([pool.counts().pending, pool.counts().queued], [0, 2])
    assert.equal(pool.nextNonce(senderOf(0)), 0n)
    assert.equal(await add(pool, { nonce: 0 }), 'added')
    assert.deepEqual([pool.counts().pending, pool.counts().queued], [3, 0])
    assert.deepEqual(ready, [0n, 1n, 2n])
    assert.equal(pool.nextNonce(senderOf(0)), 3n)
  })

  it('requires ten per cent more of both fee and tip for a replacement', async () => {
    const { pool } = open()
    assert.equal(await add(pool, { feeGwei: 100, tipGwei: 10 }), 'added')
    assert.equal(await add(pool, { feeGwei: 100, tipGwei: 10 }), 'already-known')
    assert.equal(await add(pool, { feeGwei: 109, tipGwei: 11 }), 'replacement-underpriced')
    assert.equal(await add(pool, { feeGwei: 110, tipGwei: 10 }), 'replacement-underpriced')
    assert.equal(await add(pool, { feeGwei: 110, tipGwei: 11 }), 'replaced')
    assert.equal(pool.counts().pending, 1)
  })

  it('requires a balance for the total cost of all transactions of the sender', async () => {
    const { pool, set } = open()
    const each = 21_000n * 10n * GWEI
    set(0, { balanceWei: each * 2n })
    assert.equal(await add(pool, { nonce: 0 }), 'added')
    assert.equal(await add(pool, { nonce: 1 }), 'added')
    assert.equal(await add(pool, { nonce: 2 }), 'insufficient-funds')
    assert.equal(await add(pool, { nonce: 0, feeGwei: 30, tipGwei: 2 }), 'insufficient-funds')
    set(0, { balanceWei: each })
    await pool.onHead([transaction({ nonce: 0 })], [])
    assert.deepEqual([pool.counts().pending, pool.counts().queued], [1, 1], 'what the balance no longer covers waits')
  })

  it('rejects used nonces, contracts as senders, other chains and deposits', async () => {
    const { pool, set } = open()
    set(0, { nonce: 5n })
    set(1, { kind: 'contract' })
    assert.equal(await add(pool, { nonce: 4 }), 'nonce-too-low')
    assert.equal(await add(pool, { sender: 1 }), 'sender-not-eoa')
    const legacy = { type: 0 as const, nonce: 0n, gasLimit: 21_000n, to: null, valueWei: 0n, data: new Uint8Array(0), gasPriceWei: GWEI }
    const signature = { yParity: 0 as const, r: 2n, s: 1n }
    const verdict = async (chainId: bigint | null) => {
      const answer = await pool.add(encodeSignedTransaction({ ...legacy, chainId }, signature), 'local')
      return answer.kind === 'rejected' ? answer.reason : answer.kind
    }
    assert.equal(await verdict(11n), 'chain-id-mismatch')
    assert.equal(await verdict(null), 'unprotected')
    assert.equal(await verdict(CHAIN_ID), 'added')
  })

  it('orders by tip over the base fee, first come first served, each sender by nonce', async () => {
    const { pool } = open()
    await add(pool, { sender: 0, nonce: 0, tipGwei: 1 })
    await add(pool, { sender: 0, nonce: 1, tipGwei: 9 })
    await add(pool, { sender: 1, nonce: 0, tipGwei: 5 })
    await add(pool, { sender: 2, nonce: 0, tipGwei: 5 })
    await add(pool, { sender: 3, nonce: 0, feeGwei: 3, tipGwei: 3 })
    assert.deepEqual(order(pool), ['2:0', '3:0', '4:0', '1:0', '1:1'])
    assert.deepEqual(order(pool, 4n * GWEI), ['2:0', '3:0', '1:0', '1:1'], 'one cannot pay a base fee of 4 gwei')
  })

  it('makes room by dropping the lowest tip, never for one that pays less', async () => {
    const { pool } = open({ maxTransactions: 3 })
    await add(pool, { sender: 0, tipGwei: 5 })
    await add(pool, { sender: 1, tipGwei: 3 })
    await add(pool, { sender: 2, tipGwei: 4 })
    assert.equal(await add(pool, { sender: 3, tipGwei: 2 }), 'underpriced')
    assert.equal(await add(pool, { sender: 3, tipGwei: 6 }), 'added')
    assert.deepEqual(order(pool), ['4:0', '1:0', '3:0'])
    assert.equal(await add(pool, { sender: 4, nonce: 7, tipGwei: 9 }), 'pool-full', 'one that waits does not push out one that can run')
  })

  it('limits the transactions of a sender and those that wait', async () => {
    const { pool } = open({ maxPerAccount: 3, maxQueuedPerAccount: 1 })
    assert.equal(await add(pool, { nonce: 5 }), 'added')
    assert.equal(await add(pool, { nonce: 6 }), 'account-limit')
    assert.equal(await add(pool, { nonce: 0 }), 'added')
    assert.equal(await add(pool, { nonce: 1 }), 'added')
    assert.equal(await add(pool, { nonce: 2 }), 'account-limit')
  })

  it('follows the head: included transactions leave, those of a reverted block return', async () => {
    const { pool, set } = open()
    const [first, second] = [transaction({ nonce: 0 }), transaction({ nonce: 1 })]
    await pool.add(first, 'local')
    await pool.add(second, 'local')
    set(0, { nonce: 1n })
    await pool.onHead([first], [])
    assert.equal(pool.find(first.hash), null)
    assert.deepEqual(order(pool), ['1:1'])
    set(0, { nonce: 0n })
    await pool.onHead([], [first])
    assert.deepEqual(order(pool), ['1:0', '1:1'])
  })

  it('drops transactions that waited too long, and keeps executable ones', async () => {
    const { pool, clock } = open({ queuedLifetimeMs: 1_000 })
    await add(pool, { nonce: 0 })
    await add(pool, { nonce: 5 })
    await clock.advance(2_000)
    await pool.onHead([], [])
    assert.deepEqual([pool.counts().pending, pool.counts().queued], [1, 0])
  })

  it('restores accepted transactions after a crash, but not dropped ones', async () => {
    const { pool, store } = open()
    await add(pool, { sender: 0, nonce: 0, feeGwei: 10, tipGwei: 1 })
    await add(pool, { sender: 0, nonce: 0, feeGwei: 20, tipGwei: 2 })
    await add(pool, { sender: 1, nonce: 0 })
    pool.drop(transaction({ sender: 1 }).hash)
    await add(pool, { sender: 2, nonce: 3 })
    const again = open({}, store)
    assert.equal(await again.pool.restore(), 2)
    assert.deepEqual([again.pool.counts().pending, again.pool.counts().queued], [1, 1])
    assert.ok(again.pool.find(transaction({ sender: 0, nonce: 0, feeGwei: 20, tipGwei: 2 }).hash))
  })

  it('keeps nothing when the journal cannot be written', async () => {
    const store = createMemoryStore()
    const { pool } = open({}, { ...store, batch: () => Promise.reject(new Error('disk full')) })
    await assert.rejects(pool.add(transaction(), 'local'), /disk full/)
    assert.deepEqual(pool.counts(), { pending: 0, queued: 0, bytes: 0 })
  })

  it('does not let a replacement take the funds of the transactions after it', async () => {
    const { pool, set, newHead } = open()
    const each = 21_000n * 10n * GWEI
    set(0, { balanceWei: each * 3n })
    for (const nonce of [0, 1, 2]) assert.equal(await add(pool, { nonce }), 'added')
    assert.equal(await add(pool, { nonce: 0, feeGwei: 20, tipGwei: 2 }), 'insufficient-funds')
    assert.equal(pool.nextNonce(senderOf(0)), 3n)
    set(0, { balanceWei: each * 4n })
    newHead()
    await pool.onHead([], [])
    assert.equal(await add(pool, { nonce: 0, feeGwei: 20, tipGwei: 2 }), 'replaced')
    assert.equal(pool.nextNonce(senderOf(0)), 3n)
  })

  it('counts the data fee of each head', async () => {
    const { pool, set, state, newHead } = open()
    const each = 21_000n * 10n * GWEI
    set(0, { balanceWei: each * 2n })
    await add(pool, { nonce: 0 })
    await add(pool, { nonce: 1 })
    state.dataFeeWei = 1n
    newHead()
    await pool.onHead([], [])
    assert.deepEqual([pool.counts().pending, pool.counts().queued], [1, 1])
    assert.equal(await add(pool, { sender: 1 }), 'added')
    assert.equal(pool.ofSender(senderOf(1)).pending[0]?.costWei, each + 1n)
  })

  it('rejects transactions above 128 KiB, blob transactions and the last nonce', async () => {
    const { pool } = open()
    assert.equal(await add(pool, { dataBytes: 128 * 1024 }), 'oversized')
    assert.equal(await add(pool, { dataBytes: 128 * 1024 - 200 }), 'added')
    const fields = { chainId: CHAIN_ID, gasLimit: 21_000n, valueWei: 0n, data: new Uint8Array(0), accessList: [] }
    const to = new Uint8Array(20)
    const prices = { maxFeePerGasWei: GWEI, maxPriorityFeePerGasWei: 1n }
    const reason = async (tx: SignedTransaction) => {
      const verdict = await pool.add(tx, 'local')
      return verdict.kind === 'rejected' ? verdict.reason : verdict.kind
    }
    const signature = { yParity: 0 as const, r: 3n, s: 1n }
    const blob = {
      ...fields,
      ...prices,
      type: 3 as const,
      to,
      nonce: 0n,
      maxFeePerBlobGasWei: GWEI,
      blobVersionedHashes: [new Uint8Array(32).fill(1)],
    }
    assert.equal(await reason(encodeSignedTransaction(blob, signature)), 'type-not-supported')
    const last = { ...fields, ...prices, type: 2 as const, to, nonce: (1n << 64n) - 1n }
    assert.equal(await reason(encodeSignedTransaction(last, signature)), 'nonce-max')
  })

  it('allows a delegated account one transaction in flight, and its replacement', async () => {
    const { pool, set } = open()
    set(0, { kind: 'delegated', nonce: 4n })
    assert.equal(await add(pool, { nonce: 5 }), 'delegated-gap')
    assert.equal(await add(pool, { nonce: 4 }), 'added')
    assert.equal(await add(pool, { nonce: 5 }), 'delegated-in-flight')
    assert.equal(await add(pool, { nonce: 4, feeGwei: 20, tipGwei: 2 }), 'replaced')
    assert.equal(pool.counts().pending, 1)
  })

  it('treats an account with a pending authorization as delegated', async () => {
    const { pool } = open()
    assert.equal(await add(pool, { sender: 0, authorities: [1, 2] }), 'added')
    assert.equal(await add(pool, { sender: 1, nonce: 1 }), 'delegated-gap')
    assert.equal(await add(pool, { sender: 1, nonce: 0 }), 'added')
    assert.equal(await add(pool, { sender: 1, nonce: 1 }), 'delegated-in-flight')
    pool.drop(transaction({ sender: 0, authorities: [1, 2] }).hash)
    assert.equal(await add(pool, { sender: 1, nonce: 1 }), 'added')
  })

  it('rejects an authorization of an account with more than one pooled transaction', async () => {
    const { pool } = open()
    await add(pool, { sender: 1, nonce: 0 })
    assert.equal(await add(pool, { sender: 0, authorities: [1] }), 'added')
    await add(pool, { sender: 2, nonce: 0 })
    await add(pool, { sender: 2, nonce: 3 })
    assert.equal(await add(pool, { sender: 3, authorities: [2] }), 'authority-reserved')
  })

  it('evicts nothing for a transaction that it then rejects', async () => {
    const sized = { dataBytes: 1_000 }
    const { pool } = open({ maxBytes: 3_500 })
    await add(pool, { sender: 0, tipGwei: 1, ...sized })
    await add(pool, { sender: 1, tipGwei: 5, ...sized })
    await add(pool, { sender: 2, tipGwei: 5, ...sized })
    assert.equal(await add(pool, { sender: 3, tipGwei: 3, dataBytes: 2_000 }), 'underpriced')
    assert.equal(pool.counts().pending, 3)
    assert.equal(await add(pool, { sender: 3, tipGwei: 6, dataBytes: 2_000 }), 'added')
    assert.deepEqual(order(pool), ['4:0', '2:0'])
  })

  it('restarts the lifetime of waiting transactions when the executable ones of their sender change', async () => {
    const { pool, clock, set } = open({ queuedLifetimeMs: 1_000 })
    await add(pool, { nonce: 0 })
    await add(pool, { nonce: 2 })
    await clock.advance(900)
    set(0, { nonce: 1n })
    await pool.onHead([transaction({ nonce: 0 })], [])
    await clock.advance(900)
    await pool.onHead([], [])
    assert.equal(pool.counts().queued, 1)
    await clock.advance(200)
    await pool.onHead([], [])
    assert.equal(pool.counts().queued, 0)
  })

  it('refreshes senders whose transaction or funds came from elsewhere immediately', async () => {
    const { pool, set, newHead } = open()
    await add(pool, { sender: 0, nonce: 0 })
    await add(pool, { sender: 0, nonce: 1 })
    set(0, { nonce: 1n })
    newHead()
    await pool.onHead([transaction({ sender: 0, nonce: 0, feeGwei: 50 })], [])
    assert.equal(pool.find(transaction({ sender: 0, nonce: 0 }).hash), null, 'another one with its nonce was included')
    assert.deepEqual(order(pool), ['1:1'])
  })

  it('follows the head synchronously', async () => {
    const { pool, set } = open()
    const mined = transaction({ nonce: 0 })
    await pool.add(mined, 'local')
    set(0, { nonce: 1n })
    await pool.onHead([mined], [])
    set(0, { nonce: 0n })
    const journal = pool.onHead([], [mined])
    assert.equal(pool.nextNonce(senderOf(0)), 1n, 'not zero, not for a moment')
    await journal
  })

  it('restores a long sequence of one sender after a crash, whatever its order of arrival', async () => {
    const { pool, again } = open({ maxQueuedPerAccount: 2 })
    for (let nonce = 0; nonce < 20; nonce++) await add(pool, { nonce })
    await add(pool, { nonce: 0, feeGwei: 20, tipGwei: 2 })
    const next = again()
    assert.equal(await next.pool.restore(), 20)
    assert.equal(next.pool.nextNonce(senderOf(0)), 20n)
  })

  it('drops unreadable journal entries with one warning, and opens', async () => {
    const { pool, store, again } = open()
    await add(pool, { sender: 0 })
    await add(pool, { sender: 1 })
    const torn = transaction({ sender: 1 })
    const whole = store.getSync(pooledKey(torn.hash)) as Uint8Array
    const other = transaction({ sender: 2 })
    await store.batch([
      { put: pooledKey(torn.hash), value: whole.subarray(0, whole.length - 7) },
      { put: pooledKey(other.hash), value: whole },
    ])
    const next = again()
    assert.equal(await next.pool.restore(), 1)
    assert.deepEqual(
      next.log.lines.map(({ level, fields }) => [level, fields]),
      [['warn', { entries: 2 }]],
    )
    assert.equal(store.getSync(pooledKey(torn.hash)), null)
    assert.equal(await again().pool.restore(), 1)
  })

  it('restores the replaced transaction when the journal cannot be written', async () => {
    const store = createMemoryStore()
    let fails = false
    const { pool } = open({}, { ...store, batch: (ops) => (fails ? Promise.reject(new Error('disk full')) : store.batch(ops)) })
    await add(pool, { nonce: 0 })
    fails = true
    await assert.rejects(pool.add(transaction({ nonce: 0, feeGwei: 20, tipGwei: 2 }), 'local'), /disk full/)
    assert.ok(pool.find(transaction({ nonce: 0 }).hash))
    assert.equal(pool.counts().pending, 1)
  })

  it('retries a removal when the disk fails', async () => {
    const store = createMemoryStore()
    let fails = false
    const { pool, flush } = open({}, { ...store, batch: (ops) => (fails ? Promise.reject(new Error('disk full')) : store.batch(ops)) })
    await add(pool, { nonce: 0 })
    pool.drop(transaction({ nonce: 0 }).hash)
    fails = true
    await assert.rejects(flush(), /disk full/)
    fails = false
    await flush()
    assert.equal(store.getSync(pooledKey(transaction({ nonce: 0 }).hash)), null)
  })

  it('keeps conditions through a reorg, drops impossible ones, and does not persist them', async () => {
    const { pool, set, state, newHead, again } = open()
    const until = (number: bigint) => ({
      conditional: { knownAccounts: [], blockNumberMin: null, blockNumberMax: number, timestampMin: null, timestampMax: null },
    })
    const early = transaction({ sender: 0 })
    const late = transaction({ sender: 1 })
    await pool.add(early, 'local', until(2n))
    await pool.add(late, 'local', until(9n))
    assert.equal(await again().pool.restore(), 0)
    state.number = 2
    set(1, { nonce: 1n })
    newHead()
    await pool.onHead([late], [])
    assert.equal(pool.find(early.hash), null, 'block 3 is the next')
    set(1, { nonce: 0n })
    newHead()
    await pool.onHead([], [late])
    assert.equal(pool.find(late.hash)?.conditional?.blockNumberMax, 9n)
  })

  it('reports why each transaction left', async () => {
    const { pool, set, clock } = open({ maxTransactions: 3, queuedLifetimeMs: 1_000 })
    const left: string[] = []
    pool.onDropped(({ pooled, reason }) => left.push(`${pooled.senderBytes[0]}:${pooled.tx.nonce} ${reason}`))
    await add(pool, { sender: 0 })
    await add(pool, { sender: 0, feeGwei: 20, tipGwei: 2 })
    await add(pool, { sender: 1, tipGwei: 3 })
    await add(pool, { sender: 2, nonce: 7 })
    await add(pool, { sender: 3, tipGwei: 4 })
    const mined = transaction({ sender: 1, tipGwei: 3 })
    set(1, { nonce: 1n })
    await pool.onHead([mined], [])
    await add(pool, { sender: 2, nonce: 7 })
    await clock.advance(1_001)
    await pool.onHead([], [])
    pool.drop(transaction({ sender: 3, tipGwei: 4 }).hash)
    assert.deepEqual(left, ['1:0 replaced', '3:7 evicted', '2:0 included', '3:7 expired', '4:0 failed'])
  })
})
