import assert from 'node:assert/strict'
import { encodeProposeL2Output, OUTPUT_ORACLE_CALLS } from '@keelson/contracts'
import { DEFAULT_DEVNET_PARAMETERS, openContractFiles } from '@keelson/devnet/genesis'
import { createWasmEngine } from '@keelson/evm'
import { createNativeCrypto } from '@keelson/node/assembly'
import {
  type Address,
  bytesToHex,
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
import { buildL1Start, type L1Start } from './l1-genesis.ts'
import { createL1Methods } from './l1-methods.ts'
import { accountOf } from './l1-state.ts'
import { SimulatedL1 } from './simulated-l1.ts'

const START_MS = 1_800_000_000_000
const SLOT_MS = 12_000
const GWEI = 10n ** 9n
const FUNDS_WEI = 10n ** 20n
const KEY = new Uint8Array(32).fill(7)
const crypto = createNativeCrypto()
const SENDER: Address = toAddress(crypto.addressOf(KEY))
const INBOX = toAddress(`0x${'22'.repeat(20)}`)
const ROOT = toHash(`0x${'33'.repeat(32)}`)
const INTERVAL_BLOCKS = 100

interface TransactionParts {
  readonly to: Address
  readonly data: Uint8Array
  readonly feeGwei: bigint
  readonly valueWei: bigint
}

function sign(nonce: bigint, { to = INBOX, data = new Uint8Array(0), feeGwei = 200n, valueWei = 0n }: Partial<TransactionParts> = {}) {
  const fields = {
    type: TX_FEE_MARKET,
    chainId: DEFAULT_DEVNET_PARAMETERS.l1ChainId,
    nonce,
    gasLimit: 500_000n,
    to: hexToBytes(to),
    valueWei,
    data,
    accessList: [],
    maxFeePerGasWei: feeGwei * GWEI,
    maxPriorityFeePerGasWei: (feeGwei * GWEI) / 100n,
  } as const
  return { tx: encodeSignedTransaction(fields, crypto.sign(signingDigest(fields), KEY)), blobs: [] }
}

describe('the simulated L1', () => {
  let start: L1Start

  before(async () => {
    start = await buildL1Start({
      engine: createWasmEngine({ crypto, hashSeed: new Uint8Array(80) }),
      contracts: openContractFiles(),
      parameters: {
        ...DEFAULT_DEVNET_PARAMETERS,
        submissionIntervalBlocks: INTERVAL_BLOCKS,
        roles: { ...DEFAULT_DEVNET_PARAMETERS.roles, proposer: SENDER },
      },
      // Outputs may only be proposed for times that have passed.
      genesisTimeSec: START_MS / 1000 - 100_000,
      funds: new Map([[SENDER, FUNDS_WEI]]),
    })
  })

  function open(seed = 1) {
    const simulation = new Simulation(createSeed(seed), START_MS)
    const l1 = new SimulatedL1(simulation, crypto, {
      chainId: DEFAULT_DEVNET_PARAMETERS.l1ChainId,
      blockTimeSec: 12,
      finalityBlocks: 64,
      start,
    })
    l1.start()
    return { simulation, l1, run: (slots: number) => simulation.run(simulation.nowMs + slots * SLOT_MS) }
  }

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

  it('includes transactions by nonce, and neither makes nor loses a wei', async () => {
    const { l1, run } = open()
    l1.submit(sign(1n, { valueWei: 5n }))
    l1.submit(sign(0n, { valueWei: 7n }))
    await run(1)
    assert.deepEqual(
      l1.head.transactions.map(({ nonce }) => nonce),
      [0n, 1n],
    )
    const { state } = l1.head
    assert.equal(accountOf(state, INBOX).balanceWei, 12n)
    assert.ok(state.burntWei > 0n)
    const total = [...state.accounts.values()].reduce((sum, { balanceWei }) => sum + balanceWei, state.burntWei)
    assert.equal(total, FUNDS_WEI)
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

  it('executes its contracts: the oracle takes a proposal once, and only on its own L1 block', async () => {
    const { l1, run } = open()
    const oracle = start.addresses.L2OutputOracle
    await run(2)
    const propose = (hash: typeof ZERO_HASH) =>
      encodeProposeL2Output({ outputRoot: ROOT, l2BlockNumber: INTERVAL_BLOCKS, l1: { hash, number: 1 } })
    l1.submit(sign(0n, { to: oracle, data: propose(toHash(`0x${'44'.repeat(32)}`)) }))
    l1.submit(sign(1n, { to: oracle, data: propose((l1.block(1) as { readonly hash: typeof ZERO_HASH }).hash) }))
    l1.submit(sign(2n, { to: oracle, data: propose(ZERO_HASH) }))
    await run(1)
    assert.deepEqual(
      l1.head.receipts.map(({ outcome }) => outcome),
      [{ status: 0 }, { status: 1 }, { status: 0 }],
    )
    assert.deepEqual(l1.head.state.proposals, [{ outputRoot: ROOT, l2BlockNumber: INTERVAL_BLOCKS }])
    const context = { signal: new AbortController().signal, transport: 'http' as const }
    const call = { to: oracle, data: bytesToHex(OUTPUT_ORACLE_CALLS.nextBlockNumber) }
    const next = await createL1Methods(l1).eth_call?.([call, 'latest'], context)
    assert.equal(Number(next), 2 * INTERVAL_BLOCKS)
  })
})
