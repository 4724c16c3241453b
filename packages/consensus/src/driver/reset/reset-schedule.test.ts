import assert from 'node:assert/strict'
import { DerivationError } from '@keelson/derivation'
import { createManualClock, type ManualClock } from '@keelson/runtime'
import { createRecordingLogger, type RecordingLogger } from '../../../../../test/support/recording-logger.ts'
import { createDegradedStates, type DegradedStates } from '../../degraded-states.ts'
import { ConsensusError } from '../../errors.ts'
import { RESET_AT_START, RESET_BY_OPERATOR, type ResetReason, resetReasonOf } from './reset-reason.ts'
import { ResetSchedule } from './reset-schedule.ts'

const reorgOf = (hash: string) =>
  resetReasonOf(new ConsensusError('consensus/l1-reorg', 'reset', `L1 replaced ${hash}`, { number: 7, hash }))

describe('resets', () => {
  let clock: ManualClock
  let log: RecordingLogger
  let degraded: DegradedStates
  let resets: ResetSchedule

  beforeEach(() => {
    clock = createManualClock(1_000_000)
    log = createRecordingLogger()
    degraded = createDegradedStates(clock, log)
    resets = new ResetSchedule(clock, degraded)
    resets.done()
    resets.noteSafe(10)
  })

  const reset = (reason: ResetReason, safe: number) => {
    resets.ask(reason)
    resets.done()
    resets.noteSafe(safe)
  }

  it('start with one that need not wait', () => {
    const fresh = new ResetSchedule(clock, degraded)
    assert.deepEqual(fresh.due, RESET_AT_START)
    assert.equal(fresh.waiting, false)
  })

  it('run at once and silently while they make progress', () => {
    for (let safe = 11; safe < 20; safe++) {
      resets.ask(reorgOf('0xaa'))
      assert.equal(resets.waiting, false)
      resets.done()
      resets.noteSafe(safe)
    }
    assert.deepEqual(degraded.list(), [])
  })

  it('alert after the same reason twice without a new safe block, and then run slowly', async () => {
    reset(reorgOf('0xaa'), 4)
    assert.deepEqual(degraded.list(), [])
    resets.noteSafe(10)
    resets.ask(reorgOf('0xaa'))
    const [state] = degraded.list()
    assert.match(state?.what ?? '', /again and again/)
    assert.match(state?.why ?? '', /2 times, the last time \(l1-reorg\) because: L1 replaced 0xaa/)
    assert.equal(resets.waiting, true)
    assert.equal((resets.retryAtMs ?? 0) - clock.nowMs(), 30_000)
    await clock.advance(29_999)
    assert.equal(resets.waiting, true)
    await clock.advance(1)
    assert.equal(resets.waiting, false)
    resets.done()
    resets.noteSafe(11)
    assert.deepEqual(degraded.list(), [])
    assert.equal(log.matching('over: derivation is reset again').length, 1)
  })

  it('by reorgs of different L1 blocks count as different, until there are too many', () => {
    for (const hash of ['0xaa', '0xbb', '0xcc', '0xdd']) reset(reorgOf(hash), 5)
    assert.deepEqual(degraded.list(), [])
    resets.ask(reorgOf('0xee'))
    assert.match(degraded.list()[0]?.why ?? '', /5 times/)
  })

  it('that alternate between two reasons alert when one repeats', () => {
    const lost = resetReasonOf(new ConsensusError('consensus/engine-syncing', 'reset', 'no block 7', { hash: '0x01' }))
    const lostAnother = resetReasonOf(new ConsensusError('consensus/engine-syncing', 'reset', 'no block 8', { hash: '0x02' }))
    reset(lost, 10)
    reset(reorgOf('0xaa'), 10)
    assert.deepEqual(degraded.list(), [])
    resets.ask(lostAnother)
    assert.match(degraded.list()[0]?.why ?? '', /3 times, the last time \(engine-lost-blocks\)/)
  })

  it('ordered by the operator run at once and do not count', () => {
    for (let i = 0; i < 6; i++) {
      resets.order(RESET_BY_OPERATOR)
      assert.equal(resets.waiting, false)
      resets.done()
    }
    assert.deepEqual(degraded.list(), [])
  })

  it('take their kind from the error code', () => {
    const kindOf = (error: unknown) => resetReasonOf(error).kind
    assert.equal(kindOf(new DerivationError('derivation/l1-reorg', 'reset', 'x')), 'l1-reorg')
    assert.equal(kindOf(new DerivationError('derivation/l2-parent-mismatch', 'reset', 'x')), 'derivation-mismatch')
    assert.equal(kindOf(new ConsensusError('consensus/engine-forkchoice', 'reset', 'x')), 'engine-forkchoice')
    assert.equal(resetReasonOf(new DerivationError('derivation/l1-reorg', 'reset', 'x', { hash: '0x05' })).subject, '0x05')
  })
})
