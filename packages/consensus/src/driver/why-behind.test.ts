import assert from 'node:assert/strict'
import { type L1BlockRef, ZERO_HASH, ZERO_L2_REF } from '@keelson/primitives'
import { createManualClock, type ManualClock } from '@keelson/runtime'
import { makePayload } from '../../../../test/support/payloads.ts'
import { createRecordingLogger, type RecordingLogger } from '../../../../test/support/recording-logger.ts'
import { createDegradedStates, type DegradedStates } from '../degraded-states.ts'
import { createForkedFromPeers } from './unsafe/forked-from-peers.ts'
import { createWhyBehind, type WhyBehind } from './why-behind.ts'

const START_SEC = 1_800_000_000

describe('why a node is behind', () => {
  let clock: ManualClock
  let log: RecordingLogger
  let degraded: DegradedStates
  let why: WhyBehind
  let peers: number
  const heads = {
    unsafe: { ...ZERO_L2_REF, timestampSec: START_SEC as never },
    pendingSafe: ZERO_L2_REF,
    safe: ZERO_L2_REF,
    finalized: ZERO_L2_REF,
  }
  const l1At = (timestampSec: number): L1BlockRef => ({ hash: ZERO_HASH, number: 9, parentHash: ZERO_HASH, timestampSec })
  const said = () => degraded.list().map((state) => `${state.what}: ${state.why}`)

  beforeEach(() => {
    clock = createManualClock(START_SEC * 1000)
    log = createRecordingLogger()
    degraded = createDegradedStates(clock, log)
    peers = 0
    why = createWhyBehind({ maxHeadAgeSec: 60, maxL1AgeSec: 120 }, { peers: () => peers, clock, degraded })
  })

  it('reports once that no unsafe blocks arrive, with the number of peers, and reports the end', async () => {
    await clock.advance(60_000)
    why.look(heads, null)
    assert.deepEqual(said(), [])
    await clock.advance(2_000)
    why.look(heads, null)
    assert.deepEqual(said(), [
      'no unsafe blocks come from peers: none for 62 s, with 0 peers; the unsafe head 0 is 62 s old and only L1 moves it',
    ])
    assert.match(degraded.list()[0]?.remedy ?? '', /p2p port .* reachable from outside/)
    peers = 3
    await clock.advance(2_000)
    why.look(heads, null)
    assert.match(degraded.list()[0]?.remedy ?? '', /the sequencer may have stopped/)
    assert.equal(log.lines.length, 1)
    why.heard()
    assert.deepEqual(said(), [])
  })

  it('reports nothing while the unsafe head is young', async () => {
    await clock.advance(100_000)
    why.look({ ...heads, unsafe: { ...heads.unsafe, timestampSec: (START_SEC + 90) as never } }, null)
    assert.deepEqual(said(), [])
  })

  it('reports an L1 without new blocks', async () => {
    await clock.advance(119_000)
    why.look(null, l1At(START_SEC))
    assert.deepEqual(said(), [])
    await clock.advance(2_000)
    why.look(null, l1At(START_SEC))
    assert.deepEqual(said(), ['waiting for L1: its newest block 9 is 121 s old'])
    await clock.advance(1_000)
    why.look(null, l1At(START_SEC + 120))
    assert.deepEqual(said(), [])
  })

  it('reports it sooner for an L1 with a short block time', async () => {
    await clock.advance(107_000)
    why.look(null, l1At(START_SEC), 4)
    assert.deepEqual(said(), ['waiting for L1: its newest block 9 is 107 s old'])
  })

  it('reports the first rejected block that the sequencer signed', () => {
    const fork = createForkedFromPeers(clock, degraded)
    const payload = (number: number) =>
      makePayload({ number, parentHash: ZERO_HASH, timestampSec: START_SEC, l1Origin: l1At(0), sequenceNumber: 0 })
    fork.refused(payload(7), 'invalid merkle root')
    fork.refused(payload(8), 'invalid merkle root')
    assert.equal(degraded.list().length, 1)
    assert.match(said()[0] ?? '', /^forked from peers at block 7: .* rejects block 7 .*, which the sequencer signed: invalid merkle root/)
    fork.agrees()
    assert.deepEqual(said(), [])
  })

  it('reports blocks that keep building on another parent, after the time a reorg takes', async () => {
    const fork = createForkedFromPeers(clock, degraded)
    const payload = (number: number) =>
      makePayload({ number, parentHash: ZERO_HASH, timestampSec: START_SEC, l1Origin: l1At(0), sequenceNumber: 0 })
    fork.conflicts(payload(7), ZERO_L2_REF)
    await clock.advance(59_000)
    fork.conflicts(payload(8), ZERO_L2_REF)
    assert.deepEqual(said(), [])
    await clock.advance(2_000)
    fork.conflicts(payload(9), ZERO_L2_REF)
    assert.match(said()[0] ?? '', /^forked from peers at block 8: the head here is 0 .* the sequencer's block 9 builds on/)
  })
})
