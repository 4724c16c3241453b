import assert from 'node:assert/strict'
import { createForkSchedule, forksAtGenesis } from '@keelson/chainspec'
import {
  type Address,
  encodeSignedTransaction,
  type Logger,
  l2Time,
  maxFeePerGasWei,
  type SignedTransaction,
  TX_DEPOSIT,
  toAddress,
} from '@keelson/primitives'
import { createManualClock, createMemoryStore, type KeyValueStore } from '@keelson/runtime'
import fc from 'fast-check'
import type { Senders } from '../senders.ts'
import { createPoolJournal } from './journal.ts'
import { DEFAULT_TX_POOL_OPTIONS, type PoolAccount, type PoolHead, type TxPoolOptions } from './pool-types.ts'
import { createTxPool, type TxPool } from './tx-pool.ts'

const ignore = () => undefined
const silent: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => silent }
const GWEI = 1_000_000_000n
const CHAIN_ID = 10n
const rules = createForkSchedule({ times: forksAtGenesis('jovian') }).blockRules(l2Time(0))

/** The sender stands in the signature's r, so that a thousand transactions need no elliptic curve. */
const senders: Senders = {
  recover: (tx) => (tx.type === TX_DEPOSIT ? tx.from : senderBytes(Number((tx as SignedTransaction).signature.r))),
}
const senderBytes = (i: number) => new Uint8Array(20).fill(i + 1)
const senderOf = (i: number): Address => toAddress(senderBytes(i))

interface Spec {
  readonly sender?: number
  readonly nonce?: number
  readonly feeGwei?: number
  readonly tipGwei?: number
  readonly valueWei?: bigint
}

function transaction({ sender = 0, nonce = 0, feeGwei = 10, tipGwei = 1, valueWei = 0n }: Spec = {}): SignedTransaction {
  const fields = {
    type: 2 as const,
    chainId: CHAIN_ID,
    nonce: BigInt(nonce),
    gasLimit: 21_000n,
    to: new Uint8Array(20).fill(0xee),
    valueWei,
    data: new Uint8Array(0),
    accessList: [],
    maxFeePerGasWei: BigInt(feeGwei) * GWEI,
    maxPriorityFeePerGasWei: BigInt(tipGwei) * GWEI,
  }
  return encodeSignedTransaction(fields, { yParity: 0, r: BigInt(sender), s: 1n })
}

const RICH: PoolAccount = { nonce: 0n, balanceWei: 10n ** 24n, hasCode: false }

function open(options: Partial<TxPoolOptions> = {}, store: KeyValueStore = createMemoryStore()) {
  const state = new Map<Address, PoolAccount>()
  const clock = createManualClock(1_000_000)
  const head: PoolHead = {
    rules,
    baseFeeWei: GWEI,
    gasLimit: 30_000_000n,
    account: (address) => state.get(toAddress(address)) ?? RICH,
    costWei: (tx) => tx.valueWei + tx.gasLimit * maxFeePerGasWei(tx),
    check: () => null,
  }
  const pool = createTxPool(
    { ...DEFAULT_TX_POOL_OPTIONS, ...options },
    { head: () => head, chainId: CHAIN_ID, senders, clock, log: silent, journal: createPoolJournal(store) },
  )
  return { pool, state, clock, store, set: (i: number, account: Partial<PoolAccount>) => state.set(senderOf(i), { ...RICH, ...account }) }
}

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

  it('replaces for ten per cent more of both fee and tip, and for nothing less', async () => {
    const { pool } = open()
    assert.equal(await add(pool, { feeGwei: 100, tipGwei: 10 }), 'added')
    assert.equal(await add(pool, { feeGwei: 100, tipGwei: 10 }), 'already-known')
    assert.equal(await add(pool, { feeGwei: 109, tipGwei: 11 }), 'replacement-underpriced')
    assert.equal(await add(pool, { feeGwei: 110, tipGwei: 10 }), 'replacement-underpriced')
    assert.equal(await add(pool, { feeGwei: 110, tipGwei: 11 }), 'replaced')
    assert.equal(pool.counts().pending, 1)
  })

  it('takes from a balance what all transactions of the sender may cost together', async () => {
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

  it('refuses used nonces, contracts as senders, other chains and deposits', async () => {
    const { pool, set } = open()
    set(0, { nonce: 5n })
    set(1, { hasCode: true })
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

  it('limits a sender, and those of it that wait', async () => {
    const { pool } = open({ maxPerAccount: 3, maxQueuedPerAccount: 1 })
    assert.equal(await add(pool, { nonce: 5 }), 'added')
    assert.equal(await add(pool, { nonce: 6 }), 'account-limit')
    assert.equal(await add(pool, { nonce: 0 }), 'added')
    assert.equal(await add(pool, { nonce: 1 }), 'added')
    assert.equal(await add(pool, { nonce: 2 }), 'account-limit')
  })

  it('follows the head: taken ones leave, those of a dropped block return', async () => {
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

  it('drops what waited too long, and keeps what can run', async () => {
    const { pool, clock } = open({ queuedLifetimeMs: 1_000 })
    await add(pool, { nonce: 0 })
    await add(pool, { nonce: 5 })
    await clock.advance(2_000)
    await pool.onHead([], [])
    assert.deepEqual([pool.counts().pending, pool.counts().queued], [1, 0])
  })

  it('gives back what it accepted after a kill, and forgets what it dropped', async () => {
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

  it('keeps its invariants under any sequence of events', async () => {
    const spec = fc.record({
      sender: fc.integer({ min: 0, max: 3 }),
      nonce: fc.integer({ min: 0, max: 6 }),
      feeGwei: fc.integer({ min: 1, max: 40 }),
      tipGwei: fc.integer({ min: 0, max: 5 }),
    })
    const event = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), spec }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('head' as const),
          sender: fc.integer({ min: 0, max: 3 }),
          nonce: fc.integer({ min: 0, max: 6 }),
          units: fc.integer({ min: 0, max: 60 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('take' as const), count: fc.integer({ min: 1, max: 3 }) }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
        const limits = { maxTransactions: 8, maxPerAccount: 4, maxQueuedPerAccount: 2 }
        const { pool, state, set } = open(limits)
        for (const step of events) {
          if (step.kind === 'add') {
            const tx = transaction({ ...step.spec, tipGwei: Math.min(step.spec.tipGwei, step.spec.feeGwei) })
            const had = pool.find(tx.hash) !== null
            const verdict = await pool.add(tx, 'local')
            assert.equal(pool.find(tx.hash) !== null, verdict.kind !== 'rejected' || had)
          } else if (step.kind === 'head') {
            set(step.sender, { nonce: BigInt(step.nonce), balanceWei: BigInt(step.units) * 21_000n * GWEI })
            await pool.onHead([], [])
          } else {
            const selection = pool.best(GWEI)
            const taken = Array.from({ length: step.count }, () => {
              const at = selection.peek()
              if (at !== null) selection.taken()
              return at
            }).flatMap((at) => (at === null ? [] : [at]))
            for (const at of taken) {
              const account = state.get(at.sender) ?? RICH
              assert.equal(at.tx.nonce, account.nonce, 'selected in the order the state wants them')
              state.set(at.sender, { ...account, nonce: account.nonce + 1n })
            }
            await pool.onHead(
              taken.map((at) => at.tx),
              [],
            )
          }
          check(pool, state, limits)
        }
      }),
      { numRuns: 150 },
    )
  })
})

function check(pool: TxPool, state: ReadonlyMap<Address, PoolAccount>, limits: { maxTransactions: number; maxPerAccount: number }): void {
  let total = 0
  let bytes = 0
  for (const { sender, pending, queued } of pool.senders()) {
    const account = state.get(sender) ?? RICH
    assert.ok(pending.length + queued.length > 0, 'no empty account is kept')
    assert.ok(pending.length + queued.length <= limits.maxPerAccount)
    pending.forEach((pooled, i) => {
      assert.equal(pooled.tx.nonce, account.nonce + BigInt(i), 'executable ones follow the state without a gap')
    })
    const cost = pending.reduce((sum, pooled) => sum + pooled.costWei, 0n)
    assert.ok(pending.length === 0 || cost <= account.balanceWei, 'executable ones are covered together')
    const nonces = [...pending, ...queued].map((pooled) => pooled.tx.nonce)
    assert.deepEqual([...new Set(nonces)], nonces, 'one for each nonce')
    assert.ok(nonces.every((nonce) => nonce >= account.nonce))
    for (const pooled of [...pending, ...queued]) assert.equal(pool.find(pooled.hash), pooled)
    total += nonces.length
    bytes += [...pending, ...queued].reduce((sum, pooled) => sum + pooled.tx.raw.length, 0)
  }
  const counts = pool.counts()
  assert.deepEqual([counts.pending + counts.queued, counts.bytes], [total, bytes])
  assert.ok(total <= limits.maxTransactions)
}
