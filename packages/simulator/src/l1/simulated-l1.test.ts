import assert from 'node:assert/strict'
import { encodeProposeL2Output, OUTPUT_ORACLE_CALLS } from '@keelson/contracts'
import { createNativeCrypto } from '@keelson/node/assembly'
import {
  type Address,
  encodeSignedTransaction,
  hexToBytes,
  signingDigest,
  TX_FEE_MARKET,
  toAddress,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import { createSeed } from '../core/seed.ts'
import { Simulation } from '../core/simulation.ts'
import { accountOf, callOracle } from './l1-state.ts'
import { SimulatedL1 } from './simulated-l1.ts'

const START_MS = 1_800_000_000_000
const SLOT_MS = 12_000
const GWEI = 10n ** 9n
const KEY = new Uint8Array(32).fill(7)
const crypto = createNativeCrypto()
const SENDER: Address = toAddress(crypto.addressOf(KEY))
const ORACLE = toAddress(`0x${'11'.repeat(20)}`)
const INBOX = toAddress(`0x${'22'.repeat(20)}`)
const ROOT = toHash(`0x${'33'.repeat(32)}`)

function open(seed = 1) {
  const simulation = new Simulation(createSeed(seed), START_MS)
  const oracle = { address: ORACLE, proposer: SENDER, submissionIntervalBlocks: 100 }
  const l1 = new SimulatedL1(simulation, crypto, { chainId: 900n, blockTimeSec: 12, balances: new Map([[SENDER, 10n ** 20n]]), oracle })
  l1.start()
  return { simulation, l1, run: (slots: number) => simulation.run(simulation.nowMs + slots * SLOT_MS) }
}

interface TransactionParts {
  readonly to: Address
  readonly data: Uint8Array
  readonly feeGwei: bigint
}

function sign(nonce: bigint, { to = INBOX, data = new Uint8Array(0), feeGwei = 200n }: Partial<TransactionParts> = {}) {
  const fields = {
    type: TX_FEE_MARKET,
    chainId: 900n,
    nonce,
    gasLimit: 200_000n,
    to: hexToBytes(to),
    valueWei: 0n,
    data,
    accessList: [],
    maxFeePerGasWei: feeGwei * GWEI,
    maxPriorityFeePerGasWei: (feeGwei * GWEI) / 100n,
  } as const
  return encodeSignedTransaction(fields, crypto.sign(signingDigest(fields), KEY))
}

describe('the simulated L1', () => {
  it('makes a block in each slot, and none while it is stalled', async () => {
    const { l1, run } = open()
    await run(3)
    assert.equal(l1.head.header.number, 3)
    assert.equal(l1.head.header.timestampSec, START_MS / 1000 + 36)
    l1.stalled = true
    await run(2)
    l1.stalled = false
    await run(1)
    assert.equal(l1.head.header.number, 4)
    assert.equal(l1.head.header.timestampSec, START_MS / 1000 + 72)
  })

  it('includes transactions by nonce, and takes their fees', async () => {
    const { l1, run } = open()
    l1.submit(sign(1n))
    l1.submit(sign(0n))
    await run(1)
    assert.deepEqual(
      l1.head.transactions.map(({ nonce }) => nonce),
      [0n, 1n],
    )
    assert.equal(accountOf(l1.head.state, SENDER).nonce, 2n)
    assert.ok(accountOf(l1.head.state, SENDER).balanceWei < 10n ** 20n)
  })

  it("refuses transactions with the texts of geth's pool", () => {
    const { l1 } = open()
    l1.submit(sign(0n, { feeGwei: 100n }))
    assert.throws(() => l1.submit(sign(0n, { feeGwei: 100n })), /already known/)
    assert.throws(() => l1.submit(sign(0n, { feeGwei: 105n })), /replacement transaction underpriced/)
    assert.throws(() => l1.submit(sign(1n, { feeGwei: 10n ** 9n })), /insufficient funds/)
    l1.submit(sign(0n, { feeGwei: 110n }))
  })

  it('keeps every transaction through a reorg, in the order of nonces', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { l1, run } = open(seed)
      for (let nonce = 0n; nonce < 6n; nonce++) {
        l1.submit(sign(nonce))
        await run(1)
      }
      const before = l1.head
      l1.reorg(4)
      assert.notEqual(l1.head.hash, before.hash)
      assert.equal(l1.head.header.number, before.header.number)
      assert.equal(l1.block(before.hash), before, 'a replaced block is still known by its hash')
      await run(2)
      assert.equal(accountOf(l1.head.state, SENDER).nonce, 6n)
    }
  })

  it('finalizes 64 blocks below the head, and never replaces them', async () => {
    const { l1, run } = open()
    await run(70)
    assert.equal(l1.block('finalized')?.header.number, 6)
    const finalized = l1.block(6)
    l1.reorg(1_000)
    assert.equal(l1.block(6), finalized)
    assert.equal(l1.head.header.number, 70)
  })

  it('takes a proposal of the proposer once, and only on its own L1 block', async () => {
    const { l1, run } = open()
    await run(2)
    const propose = (hash: typeof ZERO_HASH) => encodeProposeL2Output({ outputRoot: ROOT, l2BlockNumber: 100, l1: { hash, number: 1 } })
    l1.submit(sign(0n, { to: ORACLE, data: propose(toHash(`0x${'44'.repeat(32)}`)) }))
    l1.submit(sign(1n, { to: ORACLE, data: propose((l1.block(1) as { readonly hash: typeof ZERO_HASH }).hash) }))
    l1.submit(sign(2n, { to: ORACLE, data: propose(ZERO_HASH) }))
    await run(1)
    assert.deepEqual(
      l1.head.receipts.map(({ outcome }) => outcome),
      [{ status: 0 }, { status: 1 }, { status: 0 }],
    )
    assert.deepEqual(l1.head.state.proposals, [{ outputRoot: ROOT, l2BlockNumber: 100 }])
    const next = callOracle(l1.head.state, OUTPUT_ORACLE_CALLS.nextBlockNumber, l1.options.oracle)
    assert.equal(next?.at(-1), 200)
  })
})
