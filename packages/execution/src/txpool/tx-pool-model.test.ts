import assert from 'node:assert/strict'
import { type Hash, maxFeePerGasWei, maxPriorityFeePerGasWei, type SignedTransaction } from '@keelson/primitives'
import fc from 'fast-check'
import { POOL_SENDERS, POOL_STEPS, POOL_UNIT, type PoolStep } from '../../../../test/support/pool-steps.ts'
import {
  GWEI,
  openPoolWorld,
  PLENTY,
  type PoolWorld,
  poolSender,
  poolTransaction,
  senderIndex,
} from '../../../../test/support/pool-world.ts'
import type { PoolAccount, PoolDrop, PooledTransaction, PoolVerdict } from './pool-types.ts'

const SENDERS = POOL_SENDERS
const LIMITS = { maxTransactions: 8, maxPerAccount: 4, maxQueuedPerAccount: 2, queuedLifetimeMs: 10_000 }
const UNIT = POOL_UNIT

interface Mined {
  readonly transactions: readonly SignedTransaction[]
  readonly before: ReadonlyMap<ReturnType<typeof poolSender>, PoolAccount>
  readonly number: number
}

class Run {
  world: PoolWorld
  readonly blocks: Mined[] = []
  readonly arrival = new Map<Hash, number>()
  readonly addedAtMs = new Map<Hash, number>()
  readonly bound = new Map<Hash, number>()
  drops: PoolDrop[] = []
  nonces: bigint[] = []
  returned: readonly SignedTransaction[] = []
  failNextWrite = false
  arrivals = 0

  constructor() {
    this.world = openPoolWorld({ limits: LIMITS })
    const { store } = this.world
    const failing = {
      ...store,
      batch: (ops: Parameters<typeof store.batch>[0]) => {
        if (!this.failNextWrite) return store.batch(ops)
        this.failNextWrite = false
        return Promise.reject(new Error('disk full'))
      },
    }
    this.world = openPoolWorld({ limits: LIMITS, store: failing })
    this.listen()
  }

  listen(): void {
    this.world.pool.onDropped((drop) => this.drops.push(drop))
  }

  held(): PooledTransaction[] {
    return this.world.pool.senders().flatMap(({ pending, queued }) => [...pending, ...queued])
  }

  pendingNonce(i: number): bigint {
    return this.world.pool.nextNonce(poolSender(i)) ?? this.world.account(i).nonce
  }

  expected(tx: SignedTransaction, before: readonly PooledTransaction[]): string | null {
    const account = this.world.account(senderIndex(tx))
    const own = before.filter(({ sender }) => sender === poolSender(senderIndex(tx)))
    if (before.some(({ hash }) => hash === tx.hash)) return 'already-known'
    if (tx.nonce < account.nonce) return 'nonce-too-low'
    const rival = own.find((other) => other.tx.nonce === tx.nonce) ?? null
    if (rival !== null) {
      const enough = (now: bigint, then: bigint) => now > then && now * 100n >= then * 110n
      const price = enough(maxFeePerGasWei(tx), maxFeePerGasWei(rival.tx))
      if (!price || !enough(maxPriorityFeePerGasWei(tx), maxPriorityFeePerGasWei(rival.tx))) return 'replacement-underpriced'
    }
    const executable = this.executable(own, account)
    const others = executable.filter((other) => other !== rival)
    const cost = others.reduce((sum, other) => sum + this.world.costWei(other.tx), this.world.costWei(tx))
    if (cost > account.balanceWei) return 'insufficient-funds'
    const next = account.nonce + BigInt(executable.length)
    if (rival === null && own.length >= LIMITS.maxPerAccount) return 'account-limit'
    if (rival === null && tx.nonce > next && own.length - executable.length >= LIMITS.maxQueuedPerAccount) return 'account-limit'
    const authorities = (of: SignedTransaction) => (of.type === 4 ? of.authorizationList.map(({ r }) => Number(r)) : [])
    if (account.kind === 'delegated' || before.some((other) => authorities(other.tx).includes(senderIndex(tx)))) {
      if (executable.length === 0 && tx.nonce !== account.nonce) return 'delegated-gap'
      if (executable.length > 0 && (rival === null || !executable.includes(rival))) return 'delegated-in-flight'
    }
    const inFlight = (i: number) => before.filter(({ sender }) => sender === poolSender(i)).length
    return authorities(tx).some((i) => inFlight(i) > 1) ? 'authority-reserved' : null
  }

  executable(own: readonly PooledTransaction[], account: PoolAccount): PooledTransaction[] {
    const found: PooledTransaction[] = []
    let left = account.balanceWei
    for (;;) {
      const next = own.find(({ tx }) => tx.nonce === account.nonce + BigInt(found.length))
      if (next === undefined) return found
      left -= this.world.costWei(next.tx)
      if (left < 0n) return found
      found.push(next)
    }
  }

  tip(tx: SignedTransaction): bigint {
    const { baseFeeWei } = this.world.state
    const left = maxFeePerGasWei(tx) - baseFeeWei
    return left < maxPriorityFeePerGasWei(tx) ? left : maxPriorityFeePerGasWei(tx)
  }

  worstFirst(list: readonly PooledTransaction[], isQueued: (pooled: PooledTransaction) => boolean): PooledTransaction[] {
    const rank = (pooled: PooledTransaction) => [
      isQueued(pooled) ? 0n : 1n,
      this.tip(pooled.tx),
      -BigInt(this.arrival.get(pooled.hash) ?? 0),
    ]
    return [...list].sort((a, b) => {
      const [x, y] = [rank(a), rank(b)]
      const at = x.findIndex((value, i) => value !== y[i])
      return at < 0 ? 0 : (x[at] as bigint) < (y[at] as bigint) ? -1 : 1
    })
  }

  async add(tx: SignedTransaction, untilBlock: number | null): Promise<void> {
    const before = this.held()
    const wasQueued = new Set(this.world.pool.senders().flatMap(({ queued }) => queued.map(({ hash }) => hash)))
    const lifts = untilBlock === null && before.some(({ hash, conditional }) => hash === tx.hash && conditional !== undefined)
    const expected = lifts ? null : this.expected(tx, before)
    const conditional =
      untilBlock === null
        ? undefined
        : { knownAccounts: [], blockNumberMin: null, blockNumberMax: BigInt(untilBlock), timestampMin: null, timestampMax: null }
    if (!this.arrival.has(tx.hash) || (expected !== 'already-known' && !lifts)) this.arrival.set(tx.hash, this.arrivals++)
    let verdict: PoolVerdict
    try {
      verdict = await this.world.pool.add(tx, 'local', conditional === undefined ? {} : { conditional })
    } catch (error) {
      assert.match(String(error), /disk full/)
      assert.equal(this.world.pool.find(tx.hash), null, 'an error means that it is not in the pool')
      const evicted = new Set(this.drops.filter(({ reason }) => reason === 'evicted').map(({ pooled }) => pooled.hash))
      const left = before.filter(({ hash }) => !evicted.has(hash) && hash !== tx.hash).map(({ hash }) => hash)
      assert.deepEqual(
        this.held()
          .map(({ hash }) => hash)
          .sort(),
        left.sort(),
        'what it would have replaced is still there',
      )
      return
    }
    if (verdict.kind === 'rejected') {
      if (expected !== null) assert.equal(verdict.reason, expected)
      else this.checkRefusedByFull(tx, before, wasQueued, verdict.reason)
      assert.equal(this.world.pool.find(tx.hash) !== null, verdict.reason === 'already-known')
      assert.deepEqual(this.held().length, before.length, 'a refused one costs nobody their place')
      return
    }
    assert.equal(expected, null)
    assert.equal(this.world.pool.find(tx.hash)?.conditional, conditional)
    if (untilBlock === null) this.bound.delete(tx.hash)
    if (lifts) return assert.equal(this.held().length, before.length)
    this.addedAtMs.set(tx.hash, this.world.clock.nowMs())
    if (untilBlock !== null) this.bound.set(tx.hash, untilBlock)
    this.checkEvicted(tx, before, wasQueued)
  }

  checkEvicted(tx: SignedTransaction, before: readonly PooledTransaction[], wasQueued: ReadonlySet<Hash>): void {
    const evicted = this.drops.filter(({ reason }) => reason === 'evicted').map(({ pooled }) => pooled)
    const replaced = this.drops.filter(({ reason }) => reason === 'replaced').length
    assert.equal(evicted.length, Math.max(0, before.length + 1 - replaced - LIMITS.maxTransactions))
    if (evicted.length === 0) return
    const [worst] = this.worstFirst(this.lasts(before), ({ hash }) => wasQueued.has(hash))
    assert.deepEqual(
      evicted.map(({ hash }) => hash),
      [worst?.hash],
    )
    assert.notEqual(worst?.sender, poolSender(senderIndex(tx)))
  }

  checkRefusedByFull(tx: SignedTransaction, before: readonly PooledTransaction[], wasQueued: ReadonlySet<Hash>, reason: string): void {
    assert.ok(reason === 'underpriced' || reason === 'pool-full', reason)
    assert.equal(before.length, LIMITS.maxTransactions)
    const [worst] = this.worstFirst(this.lasts(before), ({ hash }) => wasQueued.has(hash))
    assert.ok(worst)
    if (worst.sender === poolSender(senderIndex(tx))) return
    const own = before.filter(({ sender }) => sender === poolSender(senderIndex(tx)))
    const waits =
      tx.nonce > this.world.account(senderIndex(tx)).nonce + BigInt(this.executable(own, this.world.account(senderIndex(tx))).length)
    const better = waits === wasQueued.has(worst.hash) ? this.tip(tx) > this.tip(worst.tx) : !waits
    assert.ok(!better, 'one that is worth more is not refused')
  }

  lasts(of: readonly PooledTransaction[]): PooledTransaction[] {
    return Array.from({ length: SENDERS }, (_, i) => of.filter(({ sender }) => sender === poolSender(i)).at(-1)).flatMap(
      (last) => last ?? [],
    )
  }

  async mine(step: Extract<PoolStep, { kind: 'block' }>): Promise<void> {
    const { state } = this.world
    const before = new Map(state.accounts)
    const taken: SignedTransaction[] = []
    const selection = this.world.pool.best(state.baseFeeWei)
    for (const take of step.take) {
      const at = selection.peek()
      if (at === null) break
      if (take) {
        taken.push(at.tx)
        selection.taken()
      } else selection.skipSender()
    }
    if (step.foreign !== null && !taken.some((tx) => senderIndex(tx) === step.foreign)) {
      const nonce = Number(this.world.account(step.foreign).nonce)
      taken.push(poolTransaction({ sender: step.foreign, nonce, feeGwei: 99, tipGwei: 1 }))
    }
    for (const tx of taken) {
      const from = this.world.account(senderIndex(tx))
      const cost = this.world.costWei(tx)
      this.world.set(senderIndex(tx), { nonce: from.nonce + 1n, balanceWei: from.balanceWei > cost ? from.balanceWei - cost : 0n })
    }
    this.blocks.push({ transactions: taken, before, number: state.number })
    state.number++
    state.dataFeeWei = BigInt(step.dataFee) * UNIT
    state.baseFeeWei = BigInt(step.baseFeeGwei) * GWEI
    this.world.newHead()
    await this.world.pool.onHead(taken, [])
  }

  async reorg(depth: number): Promise<void> {
    const left = this.blocks.splice(-depth)
    const [first] = left
    if (first === undefined) return
    const { state } = this.world
    state.accounts.clear()
    for (const [address, account] of first.before) state.accounts.set(address, account)
    state.number = first.number
    this.returned = left.flatMap(({ transactions }) => transactions)
    for (const tx of this.returned) {
      this.arrival.set(tx.hash, this.arrivals++)
      this.addedAtMs.set(tx.hash, this.world.clock.nowMs())
    }
    this.world.newHead()
    await this.world.pool.onHead([], this.returned)
  }

  async restart(): Promise<void> {
    await this.world.flush()
    const before = this.held()
    const kept = before.filter(({ conditional }) => conditional === undefined).map(({ hash }) => hash)
    this.world = this.world.again()
    assert.equal(await this.world.pool.restore(), kept.length)
    assert.deepEqual(
      this.held()
        .map(({ hash }) => hash)
        .sort(),
      kept.sort(),
      'a restart loses nothing it had answered for',
    )
    this.listen()
    for (const { hash, conditional, ...rest } of before) {
      if (conditional !== undefined) this.drops.push({ pooled: { hash, conditional, ...rest }, reason: 'condition' })
    }
  }

  async step(step: PoolStep): Promise<void> {
    this.drops = []
    this.returned = []
    this.nonces = Array.from({ length: SENDERS }, (_, i) => this.pendingNonce(i))
    const held = this.held()
    const picked = 'pick' in step ? held[step.pick % Math.max(1, held.length)] : undefined
    switch (step.kind) {
      case 'add':
        this.failNextWrite = step.diskFails && step.untilBlock === null
        await this.add(
          poolTransaction({ ...step.spec, tipGwei: Math.min(step.spec.tipGwei ?? 0, step.spec.feeGwei ?? 0) }),
          step.untilBlock,
        )
        this.failNextWrite = false
        break
      case 'replace': {
        if (picked === undefined) break
        const more = (wei: bigint) => Number((wei * BigInt(100 + step.bumpPercent) + 99n * GWEI) / (100n * GWEI))
        const spec = { feeGwei: more(maxFeePerGasWei(picked.tx)), tipGwei: more(maxPriorityFeePerGasWei(picked.tx)) }
        await this.add(poolTransaction({ sender: senderIndex(picked.tx), nonce: Number(picked.tx.nonce), ...spec }), null)
        break
      }
      case 'block':
        await this.mine(step)
        break
      case 'reorg':
        await this.reorg(step.depth)
        break
      case 'account':
        this.world.set(step.sender, { balanceWei: BigInt(step.units) * UNIT, kind: step.delegated ? 'delegated' : 'plain' })
        this.world.newHead()
        await this.world.pool.onHead([], [])
        break
      case 'fail':
        if (picked !== undefined) this.world.pool.drop(picked.hash)
        break
      case 'advance':
        await this.world.clock.advance(step.ms)
        await this.world.pool.onHead([], [])
        break
      case 'restart':
        await this.restart()
        break
    }
    this.judge(step)
  }

  judge(step: PoolStep): void {
    const { pool, state } = this.world
    const counts = { pending: 0, queued: 0, bytes: 0 }
    for (const { sender, pending, queued } of pool.senders()) {
      const own = [...pending, ...queued]
      const account = state.accounts.get(sender) ?? PLENTY
      assert.ok(own.length > 0 && own.length <= LIMITS.maxPerAccount)
      assert.deepEqual(pending, this.executable(own, account), 'executable is the longest covered run, no less and no more')
      assert.ok(own.every(({ tx }, i) => tx.nonce >= account.nonce && (i === 0 || tx.nonce > (own[i - 1] as PooledTransaction).tx.nonce)))
      for (const pooled of own) {
        assert.equal(pool.find(pooled.hash), pooled)
        assert.equal(pooled.costWei, this.world.costWei(pooled.tx), 'costs are those of the head')
        const bound = this.bound.get(pooled.hash)
        if (pooled.conditional !== undefined && bound !== undefined) assert.ok(state.number + 1 <= bound || step.kind !== 'block')
        counts.bytes += pooled.tx.raw.length
      }
      counts.pending += pending.length
      counts.queued += queued.length
    }
    assert.deepEqual(pool.counts(), counts)
    assert.ok(counts.pending + counts.queued <= LIMITS.maxTransactions)
    this.judgeOrder()
    this.judgeNonces()
    for (const { pooled, reason } of this.drops) {
      if (reason === 'expired') assert.ok(this.world.clock.nowMs() - (this.addedAtMs.get(pooled.hash) ?? 0) > LIMITS.queuedLifetimeMs)
      if (reason !== 'replaced') assert.ok(reason === 'unsaved' || step.kind !== 'add' || pool.find(pooled.hash) === null)
    }
  }

  judgeOrder(): void {
    const { pool, state } = this.world
    const queues = pool.senders().map(({ pending }) => [...pending])
    const naive: Hash[] = []
    for (;;) {
      const heads = queues.flatMap((queue) => queue[0] ?? []).filter(({ tx }) => this.tip(tx) >= 0n)
      const best = this.worstFirst(heads, () => false).at(-1)
      if (best === undefined) break
      naive.push(best.hash)
      queues.find((queue) => queue[0] === best)?.shift()
    }
    const selection = pool.best(state.baseFeeWei)
    const found: Hash[] = []
    for (let at = selection.peek(); at !== null; at = selection.peek()) {
      found.push(at.hash)
      selection.taken()
    }
    assert.deepEqual(found, naive)
  }

  judgeNonces(): void {
    for (let i = 0; i < SENDERS; i++) {
      const now = this.pendingNonce(i)
      if (now >= (this.nonces[i] as bigint)) continue
      const { queued } = this.world.pool.ofSender(poolSender(i))
      const here = queued.find(({ tx }) => tx.nonce === now)
      const lost = this.drops.find(({ pooled }) => pooled.sender === poolSender(i) && pooled.tx.nonce === now)
      const refused = this.returned.find((tx) => senderIndex(tx) === i && tx.nonce === now)
      if (here !== undefined) continue
      if (lost !== undefined) assert.ok(['evicted', 'failed', 'condition', 'expired'].includes(lost.reason), lost.reason)
      else assert.ok(refused !== undefined && this.held().length >= LIMITS.maxTransactions - 1, `nonce of sender ${i} went back to ${now}`)
    }
  }
}

describe('the transaction pool against a model', () => {
  it('agrees with the model through adds, replacements, blocks, reorgs, restarts and disk failures', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(POOL_STEPS, { maxLength: 60 }), async (steps) => {
        const run = new Run()
        for (const step of steps) await run.step(step)
      }),
      { numRuns: 300 },
    )
  })
})
