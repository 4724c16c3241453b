import assert from 'node:assert/strict'
import type { DerivedAttributes } from '@keelson/derivation'
import {
  concatBytes,
  type ExecutionPayload,
  encodeSignedPart,
  type Hash,
  type PayloadEnvelope,
  type PayloadVersion,
  payloadVersion,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import { createManualClock, createMemoryStore, createSilentLogger } from '@keelson/runtime'
import { makePayload } from '../../../../test/support/payloads.ts'
import { makeRollupConfig } from '../../../../test/support/rollup-config.ts'
import { createDegradedStates } from '../degraded-states.ts'
import { createNewerBlockRecord } from './newer-block-record.ts'
import { NewerRules } from './newer-rules.ts'
import { conflictOfUnreadable } from './signed-conflict.ts'

const hash = (byte: number) => toHash(new Uint8Array(32).fill(byte))
const PARENT = hash(5)
const NUMBER = 9
const never = async () => false
const block = (version: PayloadVersion = 4): PayloadEnvelope =>
  makePayload({
    number: NUMBER,
    parentHash: PARENT,
    timestampSec: 1_800_000_018,
    l1Origin: { hash: ZERO_HASH, number: 1 },
    sequenceNumber: 0,
    version,
  })

function attributesOf({ payload, parentBeaconBlockRoot }: PayloadEnvelope, change: Partial<ExecutionPayload> = {}): DerivedAttributes {
  const { timestampSec, prevRandao, feeRecipient, transactions, gasLimit, withdrawals } = { ...payload, ...change }
  const attributes = {
    ...{ timestampSec, prevRandao, feeRecipient, transactions, gasLimit, withdrawals, parentBeaconBlockRoot },
    ...{ noTxPool: true, eip1559Params: null, minBaseFeeWei: null },
  }
  const parent = { hash: PARENT, number: NUMBER - 1 }
  return { attributes, parent, derivedFrom: { number: 3, hash: ZERO_HASH }, becomesSafe: true } as unknown as DerivedAttributes
}

function open(store = createMemoryStore(), distrustedBlock: Hash | null = null) {
  const clock = createManualClock(Date.parse('2026-12-10'))
  const degraded = createDegradedStates(clock, createSilentLogger())
  const config = makeRollupConfig({
    ...{ l1ChainId: 1n, l2ChainId: 10n, l1Genesis: { hash: hash(1), number: 0 } },
    ...{
      l2Genesis: { hash: hash(2), number: 0, timestampSec: 1_800_000_000 },
      batcher: block().payload.feeRecipient,
      forks: { regolith: 0 },
    },
  })
  const release = { version: '9.9.9', releasedOn: '2026-11-28' }
  const rules = new NewerRules(
    { config, release, followsSequencer: true, distrustedBlock },
    { record: createNewerBlockRecord(store), degraded, clock },
  )
  return { rules, degraded, store }
}

describe('rules newer than this release', () => {
  for (const version of [1, 2, 3, 4] as const) {
    it(`a signed payload of version ${version} with fields added at its end names its place, and stops the node there`, async () => {
      const { rules, degraded } = open()
      const signedPart = concatBytes(encodeSignedPart(block(version)), new Uint8Array(40).fill(1))
      rules.unreadable({ version, signedPart, envelope: null, problem: 'this release cannot decode' })
      assert.equal(rules.stopped, false, 'a signature alone stops nothing')
      assert.equal(await rules.stopsAt(attributesOf(block(version)), null, never), true)
      const [state] = degraded.list()
      assert.equal(state?.name, 'newer-rules')
      assert.match(
        state?.why ?? '',
        /^the sequencer signed block 9 \(0x[0-9a-f]{64}\), which this release cannot decode, and L1 has its batch\./,
      )
      assert.match(
        state?.why ?? '',
        /this release \(9\.9\.9 of 2026-11-28, 12 days old\) knows is lagoon, and the newest of the configuration is regolith$/,
      )
    })
  }

  it('bytes too short to name a place are no conflict', () => {
    for (const length of [0, 31, 200, 443]) {
      const block = { version: 4 as const, signedPart: new Uint8Array(length), envelope: null, problem: '' }
      assert.equal(conflictOfUnreadable(block), null, `${length} bytes`)
    }
  })

  it('a rejected block stops the node only where L1 has the same batch, or data that cannot be read', async () => {
    const { rules } = open()
    rules.refused(block(), 'state root')
    const later = attributesOf(block(), { timestampSec: block().payload.timestampSec + 2 })
    const other = attributesOf(block(), { transactions: [...block().payload.transactions, Uint8Array.of(2, 0xc0)] })
    for (const derived of [later, other]) assert.equal(await rules.stopsAt(derived, null, never), false)
    rules.dropped({ stage: 'channel-reader', reason: 'channel-version-unknown', l1Origin: { number: 3, hash: ZERO_HASH }, details: {} })
    assert.equal(await rules.stopsAt(other, null, never), true)
  })

  it('a block of an unknown transaction type is named by the type', async () => {
    const { rules, degraded } = open()
    const { payload, parentBeaconBlockRoot } = block()
    const envelope = { payload: { ...payload, transactions: [...payload.transactions, Uint8Array.of(0x7c, 0xc0)] }, parentBeaconBlockRoot }
    rules.refused(envelope, 'transaction 1 cannot be decoded')
    await rules.stopsAt(attributesOf(envelope), null, never)
    assert.match(degraded.list()[0]?.why ?? '', /has a transaction of type 0x7c, which this release does not know/)
  })

  it('a rejected block that this release builds from its batch after all is no conflict', async () => {
    const { rules } = open()
    rules.refused(block(), 'the database was busy')
    assert.equal(await rules.stopsAt(attributesOf(block()), null, async () => true), false)
  })

  it('the stop ends when derivation confirms another block at the place', async () => {
    const { rules, degraded, store } = open()
    rules.refused(block(), 'state root')
    assert.equal(await rules.stopsAt(attributesOf(block()), null, never), true)
    await rules.passed(NUMBER)
    assert.deepEqual([rules.stopped, degraded.list()], [false, []])
    assert.equal(open(store).rules.restore(), null)
  })

  it('a restarted node judges the block again before it derives', async () => {
    const { rules, store } = open()
    rules.refused(block(), 'state root')
    await rules.stopsAt(attributesOf(block()), null, never)
    assert.deepEqual(open(store).rules.restore(), block())
  })

  it('a restarted node that still cannot decode the block stops again', async () => {
    const first = open()
    const signedPart = concatBytes(encodeSignedPart(block()), new Uint8Array(40))
    first.rules.unreadable({ version: payloadVersion(block().payload), signedPart, envelope: null, problem: 'this release cannot decode' })
    await first.rules.stopsAt(attributesOf(block()), null, never)
    const { rules } = open(first.store)
    assert.equal(rules.restore(), null)
    assert.equal(await rules.stopsAt(attributesOf(block()), null, never), true)
  })

  it('conflicts at the lowest heights are remembered', async () => {
    const { rules } = open()
    rules.refused(block(), 'state root')
    for (let number = 100; number < 200; number++) {
      const { payload, parentBeaconBlockRoot } = block()
      const blockHash = hash(number)
      rules.refused({ payload: { ...payload, blockNumber: number, blockHash }, parentBeaconBlockRoot }, 'state root')
    }
    assert.equal(await rules.stopsAt(attributesOf(block()), null, never), true)
  })

  it('a block that the operator calls a mistake is no conflict', async () => {
    const { rules } = open(createMemoryStore(), block().payload.blockHash)
    rules.refused(block(), 'state root')
    assert.equal(await rules.stopsAt(attributesOf(block()), null, never), false)
  })
})
