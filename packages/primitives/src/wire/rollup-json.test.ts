import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ZERO_HASH } from '../block/header.ts'
import { toHash } from '../hex.ts'
import { type L1BlockRef, type L2BlockRef, l2Time, type SyncStatus } from '../op/rollup-types.ts'
import { outputAtBlockToJson, parseOutputAtBlockJson, parseSyncStatusJson, syncStatusToJson } from './rollup-json.ts'

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHash)
const l1: fc.Arbitrary<L1BlockRef> = fc.record(
  { hash, number: fc.nat(), parentHash: hash, timestampSec: fc.nat() },
  { noNullPrototype: true },
)
const l2: fc.Arbitrary<L2BlockRef> = fc
  .record(
    {
      hash,
      number: fc.nat(),
      parentHash: hash,
      timestampSec: fc.nat(),
      l1Origin: fc.record({ hash, number: fc.nat() }, { noNullPrototype: true }),
      sequenceNumber: fc.nat(1800),
    },
    { noNullPrototype: true },
  )
  .map((ref) => ({ ...ref, timestampSec: l2Time(ref.timestampSec) }))
const status: fc.Arbitrary<SyncStatus> = fc.record(
  {
    currentL1: l1,
    headL1: l1,
    safeL1: l1,
    finalizedL1: l1,
    unsafeL2: l2,
    safeL2: l2,
    finalizedL2: l2,
    pendingSafeL2: l2,
    queuedUnsafeL2: fc.option(l2),
  },
  { noNullPrototype: true },
)

const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('rollup answers as JSON', () => {
  it('carries the sync status without loss', () => {
    fc.assert(fc.property(status, (value) => assert.deepEqual(parseSyncStatusJson(overTheWire(syncStatusToJson(value))), value)))
  })

  it('has exactly the keys that tools read', () => {
    const [value] = fc.sample(status, { numRuns: 1, seed: 1 })
    const json = syncStatusToJson({ ...(value as SyncStatus), queuedUnsafeL2: null })
    assert.deepEqual(Object.keys(json), [
      'current_l1',
      'current_l1_finalized',
      'head_l1',
      'safe_l1',
      'finalized_l1',
      'unsafe_l2',
      'safe_l2',
      'finalized_l2',
      'pending_safe_l2',
      'cross_unsafe_l2',
      'local_safe_l2',
      'queued_unsafe_l2',
    ])
    assert.deepEqual(Object.keys(json.unsafe_l2 as object), ['hash', 'number', 'parentHash', 'timestamp', 'l1origin', 'sequenceNumber'])
    assert.deepEqual(Object.keys(json.head_l1 as object), ['hash', 'number', 'parentHash', 'timestamp'])
    assert.equal((json.queued_unsafe_l2 as { hash: string }).hash, ZERO_HASH)
    assert.deepEqual(json.cross_unsafe_l2, json.unsafe_l2)
    assert.deepEqual(json.local_safe_l2, json.safe_l2)
  })

  it('is read from nodes that report fewer labels', () => {
    const [value] = fc.sample(status, { numRuns: 1, seed: 1 })
    const { pending_safe_l2, queued_unsafe_l2, cross_unsafe_l2, local_safe_l2, ...rest } = syncStatusToJson(value as SyncStatus)
    assert.ok(pending_safe_l2 && queued_unsafe_l2 && cross_unsafe_l2 && local_safe_l2)
    const read = parseSyncStatusJson(overTheWire(rest))
    assert.deepEqual(read.pendingSafeL2, read.safeL2)
    assert.equal(read.queuedUnsafeL2, null)
  })

  it('carries outputs and rejects an unknown version', () => {
    fc.assert(
      fc.property(status, hash, hash, hash, l2, (syncStatus, outputRoot, stateRoot, withdrawalStorageRoot, block) => {
        const output = { outputRoot, stateRoot, withdrawalStorageRoot, block, syncStatus }
        const json = overTheWire(outputAtBlockToJson(output)) as Record<string, unknown>
        assert.deepEqual(parseOutputAtBlockJson(json), output)
        assert.throws(() => parseOutputAtBlockJson({ ...json, version: `0x${'0'.repeat(63)}1` }), /output version .* is not known/)
        assert.throws(
          () => parseOutputAtBlockJson({ ...json, blockRef: { ...(json.blockRef as object), l1origin: null } }),
          /blockRef\.l1origin/,
        )
      }),
      { numRuns: 20 },
    )
  })
})
