import assert from 'node:assert/strict'
import { encodeProposeL2Output, OUTPUT_ORACLE_CALLS } from '@keelson/contracts'
import {
  bigintToBytes,
  bytesToHex,
  l2Time,
  type OutputAtBlock,
  type RollupApi,
  type SyncStatus,
  toAddress,
  toHash,
} from '@keelson/primitives'
import { createManualClock, createMetrics, createSilentLogger } from '@keelson/runtime'
import { createProposer } from './proposer.ts'

const oracle = toAddress(`0x${'0a'.repeat(20)}`)
const hash = (n: number) => toHash(new Uint8Array(32).fill(n))
const l1 = (number: number) => ({ hash: hash(100 + number), number, parentHash: hash(99 + number), timestampSec: 1000 + 4 * number })
const l2 = (number: number) => ({
  hash: hash(number),
  number,
  parentHash: hash(number - 1),
  timestampSec: l2Time(1000 + 2 * number),
  l1Origin: l1(1),
  sequenceNumber: 0,
})

function world({ safe, finalized, next }: { safe: number; finalized: number; next: number }, succeeded = true) {
  const status: SyncStatus = {
    currentL1: l1(7),
    headL1: l1(9),
    safeL1: l1(8),
    finalizedL1: l1(5),
    unsafeL2: l2(90),
    safeL2: l2(safe),
    finalizedL2: l2(finalized),
    pendingSafeL2: l2(safe),
    queuedUnsafeL2: null,
  }
  const sent: { to: string; data: string }[] = []
  const rollup: RollupApi = {
    syncStatus: async () => status,
    outputAtBlock: async (at) =>
      ({
        outputRoot: hash(77),
        stateRoot: hash(1),
        withdrawalStorageRoot: hash(2),
        block: l2(at as number),
        syncStatus: status,
      }) satisfies OutputAtBlock,
  }
  const proposer = (allowNonFinalized: boolean) =>
    createProposer(
      { oracle, pollIntervalMs: 1000, allowNonFinalized },
      {
        rollup,
        l1: {
          async call(to, data) {
            assert.equal(to, oracle)
            assert.deepEqual(data, OUTPUT_ORACLE_CALLS.nextBlockNumber)
            return bigintToBytes(BigInt(next), 32)
          },
        },
        sender: {
          async send({ to, data }) {
            sent.push({ to, data: bytesToHex(data) })
            return { succeeded, transactionHash: hash(5) }
          },
        },
        clock: createManualClock(0),
        log: createSilentLogger(),
        metrics: createMetrics('test'),
      },
    )
  return { proposer, sent, status }
}

describe('proposer', () => {
  it('proposes the block the oracle asks for, bound to the L1 block derivation stands at', async () => {
    const { proposer, sent } = world({ safe: 40, finalized: 30, next: 20 })
    assert.deepEqual(await proposer(false).step(), { kind: 'proposed', l2BlockNumber: 20, outputRoot: hash(77) })
    assert.deepEqual(sent, [
      { to: oracle, data: bytesToHex(encodeProposeL2Output({ outputRoot: hash(77), l2BlockNumber: 20, l1: l1(7) })) },
    ])
  })

  it('waits until the block is final, unless told that safe is enough', async () => {
    const { proposer, sent } = world({ safe: 40, finalized: 19, next: 20 })
    assert.deepEqual(await proposer(false).step(), { kind: 'waiting', nextBlockNumber: 20, haveBlockNumber: 19 })
    assert.equal(sent.length, 0)
    assert.equal((await proposer(true).step()).kind, 'proposed')
  })

  it('does not count a proposal that reverted', async () => {
    const { proposer } = world({ safe: 40, finalized: 30, next: 20 }, false)
    await assert.rejects(proposer(false).step(), { code: 'proposer/reverted' })
  })

  it('rests when stopped by the operator', async () => {
    const { proposer, sent } = world({ safe: 40, finalized: 30, next: 20 })
    const one = proposer(false)
    one.methods.admin_stopProposer?.([], { signal: new AbortController().signal, transport: 'http' })
    assert.deepEqual(await one.step(), { kind: 'stopped' })
    assert.equal(sent.length, 0)
  })
})
