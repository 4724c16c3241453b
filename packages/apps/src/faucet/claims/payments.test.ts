import assert from 'node:assert/strict'
import { createManualClock, createMemoryStore } from '@keelson/runtime'
import { AMOUNT_WEI, addressOf, createFaucetWorld, type FaucetWorld, START_MS } from '../../../../../test/support/faucet-world.ts'
import { rpcFailure } from '../../../../client/src/fake-rpc.test-support.ts'
import { createGroupCommit } from '../group-commit.ts'
import type { Claim } from './claim.ts'
import { openClaimRecords } from './claim-records.ts'

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS

async function passTime(world: FaucetWorld, blocks: number): Promise<void> {
  for (let i = 0; i < blocks; i++) {
    world.chain.mine()
    await world.clock.advance(1000)
    await world.step()
    await world.settle()
  }
}

describe('a payment', () => {
  let world: FaucetWorld
  const address = addressOf(1)
  const states = () => [...world.faucet.records.all()].map(({ state }) => state)

  beforeEach(async () => {
    world = await createFaucetWorld()
    await world.step()
  })

  it('is made once when the node reports "nonce too low" for a mined transaction', async () => {
    const { chain } = world
    const accept = chain.rpc.methods.eth_sendRawTransaction as (raw: string) => unknown
    chain.rpc.methods.eth_sendRawTransaction = ((raw: string) => {
      chain.rpc.methods.eth_sendRawTransaction = accept as never
      accept(raw)
      chain.mine()
      return accept(raw)
    }) as never
    const answer = world.claim({ address })
    await world.settle()
    await passTime(world, 4)
    assert.equal((await answer).ok, true)
    assert.equal(world.paidWei(address), AMOUNT_WEI)
    assert.deepEqual(states(), ['paid'])
  })

  it('is made once when a lagging node returns an old nonce', async () => {
    const { chain } = world
    const first = world.claim({ address: addressOf(2) })
    await world.settle()
    await passTime(world, 3)
    assert.ok((await first).ok)
    const nonceOf = chain.rpc.methods.eth_getTransactionCount as (account: string, at: string) => unknown
    const receiptOf = chain.rpc.methods.eth_getTransactionReceipt as (hash: string) => unknown
    let release: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    let asked = 0
    chain.rpc.methods.eth_getTransactionCount = ((account: string, at: string) => {
      if (at !== 'latest' && at !== 'pending') return nonceOf(account, at)
      asked++
      if (asked <= 2) return '0x0'
      return asked <= 4 ? gate.then(() => nonceOf(account, at)) : nonceOf(account, at)
    }) as never
    const second = world.claim({ address })
    await world.settle()
    assert.deepEqual(states(), ['paid', 'unsure'])
    chain.rpc.methods.eth_getTransactionReceipt = ((hash: string) => gate.then(() => receiptOf(hash))) as never
    const stepping = world.faucet.step()
    await world.settle()
    release()
    await stepping
    await world.settle()
    await passTime(world, 4)
    assert.ok((await second).ok)
    assert.equal(world.paidWei(address), AMOUNT_WEI)
    assert.deepEqual(states(), ['paid', 'paid'])
  })

  it('is made once when receipts come from a node behind the one for nonces', async () => {
    const { chain } = world
    const answer = world.claim({ address })
    await world.settle()
    chain.mine(4)
    chain.receiptsLag = true
    await passTime(world, 4)
    chain.receiptsLag = false
    await passTime(world, 4)
    assert.ok((await answer).ok)
    assert.equal(world.paidWei(address), AMOUNT_WEI)
    assert.equal(chain.mined().length, 1)
    assert.deepEqual(states(), ['paid'])
  })

  it('is made again when a reorg deeper than its confirmations removes it', async () => {
    const { chain } = world
    void world.claim({ address })
    await world.settle()
    await passTime(world, 4)
    assert.deepEqual(states(), ['paid'])
    chain.reorg(4, false)
    await passTime(world, 40)
    assert.equal(world.paidWei(address), AMOUNT_WEI)
    assert.deepEqual(states(), ['paid'])
  })

  it('is looked up until its block is final, also after a restart', async () => {
    const { chain } = world
    const lookUps = () => chain.rpc.calls.filter(({ method }) => method === 'eth_getTransactionReceipt').length
    void world.claim({ address })
    await world.settle()
    await passTime(world, 4)
    await world.restart()
    await world.step()
    chain.finalizedNumber = chain.blockCount - 1
    let before = lookUps()
    await passTime(world, 10)
    assert.equal(lookUps(), before + 1)
    before = lookUps()
    await passTime(world, 30)
    assert.equal(lookUps(), before)
  })

  it('is repeated only when the node can tell who used its nonce', async () => {
    const { chain } = world
    void world.claim({ address })
    await world.settle()
    await world.restart()
    chain.mineForeign()
    const nonceOf = chain.rpc.methods.eth_getTransactionCount as (account: string, at: string) => unknown
    let pruned = true
    chain.rpc.methods.eth_getTransactionCount = ((account: string, at: string) => {
      if (pruned && Number(at) < chain.blockCount - 3) throw rpcFailure(-32000, 'missing trie node')
      return nonceOf(account, at)
    }) as never
    chain.mine(6)
    await passTime(world, 8)
    assert.equal(world.paidWei(address), 0n)
    assert.match(world.faucet.manager.trouble()?.reason ?? '', /missing trie node/)
    pruned = false
    await passTime(world, 6)
    assert.equal(world.paidWei(address), AMOUNT_WEI)
    assert.deepEqual(states(), ['paid'])
  })
})

describe('the records of claims', () => {
  const claim: Claim = {
    id: 1,
    address: addressOf(1),
    subscriber: 'somebody',
    atMs: START_MS,
    noticedMs: null,
    tier: 'anonymous',
    amountWei: 1n,
    gasLimit: 21_000n,
    state: 'unsure',
    nonce: 0n,
    attempts: [],
    resends: 0,
    idempotencyKey: null,
  }

  it('rejects changes based on an older state of the claim, in memory and on disk', async () => {
    const store = createMemoryStore()
    const records = await openClaimRecords(store, createGroupCommit(store))
    await records.reserve(claim)
    const sent = records.replace(claim, { ...claim, state: 'sent', nonce: 1n })
    assert.equal(await records.replace(claim, { ...claim, state: 'reserved' }), false)
    assert.equal(await sent, true)
    assert.equal(records.get(1)?.state, 'sent')
    assert.equal((await openClaimRecords(store, createGroupCommit(store))).get(1)?.state, 'sent')
  })

  it('undoes a change whose write fails', async () => {
    const store = createMemoryStore()
    const records = await openClaimRecords(store, createGroupCommit(store))
    await records.reserve(claim)
    const failing = () => Promise.reject(new Error('no space'))
    await assert.rejects(records.replace(claim, { ...claim, state: 'paid' }, failing), /no space/)
    assert.equal(records.get(1), claim)
    assert.equal(records.unsettledCount, 1)
  })
})

describe('a clock that jumped', () => {
  async function jumpingWorld() {
    const clock = createManualClock(START_MS)
    let aheadMs = 0
    const jumping = { ...clock, nowMs: () => clock.nowMs() + aheadMs }
    const world = await createFaucetWorld({ claimsPerDay: 1 }, { clock: jumping })
    const step = async () => {
      await clock.advance(61_000)
      await world.step()
      await world.settle()
    }
    await step()
    return {
      world,
      clock,
      step,
      jump(ms: number) {
        aheadMs = ms
      },
    }
  }

  it('forward and back: claims made meanwhile expire a day later, and their records after two', async () => {
    const { world, clock, step, jump } = await jumpingWorld()
    jump(YEAR_MS)
    assert.ok((await world.claim({ address: addressOf(1) })).ok)
    world.chain.mine(3)
    await step()
    jump(0)
    await step()
    assert.equal((await world.claim({ address: addressOf(1) })).ok, false)
    assert.equal((await world.claim({ address: addressOf(2), subscriber: 'another' })).ok, false)
    await clock.advance(DAY_MS)
    await world.restart()
    await step()
    assert.deepEqual(
      [...world.faucet.records.all()].map(({ state }) => state),
      ['paid'],
    )
    assert.ok((await world.claim({ address: addressOf(1) })).ok)
    world.chain.mine(3)
    await step()
    await clock.advance(2 * DAY_MS)
    await step()
    assert.deepEqual([...world.faucet.records.all()], [])
  })

  it('back and forward: a claim survives a clock that is briefly behind', async () => {
    const { world, step, jump } = await jumpingWorld()
    assert.ok((await world.claim({ address: addressOf(1) })).ok)
    world.chain.mine(3)
    await step()
    jump(-START_MS)
    await world.restart()
    await step()
    jump(0)
    await step()
    assert.equal((await world.claim({ address: addressOf(1) })).ok, false)
    assert.equal(world.faucet.records.latestOf(addressOf(1))?.state, 'paid')
  })
})
