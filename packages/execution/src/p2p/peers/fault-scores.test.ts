import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { PeerRecords } from '../../sync/peers/peer-records.ts'
import { BAN_BELOW, createFaultScores } from './fault-scores.ts'

describe('the faults of peers', () => {
  const open = () => {
    const clock = createManualClock(1_800_000_000_000)
    return { clock, faults: createFaultScores(clock) }
  }

  it('are enough for a ban with one lie, or with a hundred late responses', () => {
    const { faults } = open()
    faults.note('liar', 'invalid', 'a header that does not hash to what was asked for')
    assert.ok(faults.score('liar') < BAN_BELOW)
    assert.equal(faults.causeOf('liar')?.durationMs, 24 * 3_600_000)
    faults.note('mute', 'silent', 'request for bodies took too long')
    assert.ok(faults.score('mute') < BAN_BELOW)
    assert.equal(faults.causeOf('mute')?.durationMs, 600_000, 'a link may have failed')
    for (let i = 0; i < 99; i++) faults.note('slow', 'useless', 'no answer')
    assert.ok(faults.score('slow') >= BAN_BELOW)
    faults.note('slow', 'useless', 'no answer')
    assert.ok(faults.score('slow') < BAN_BELOW)
  })

  it('do not ban an honest peer that is still syncing, however long a sync asks it for what it does not have', async () => {
    const { clock, faults } = open()
    const records = new PeerRecords<string>(clock)
    const kinds = ['headers', 'bodies', 'receipts', 'accounts', 'storages', 'codes', 'nodes']
    let asked = 0
    for (let second = 0; second < 7_200; second++) {
      for (const kind of kinds) {
        if (records.pick([{ id: 'newcomer' }], kind) === null) continue
        asked++
        records.rest('newcomer', kind, null)
        faults.note('newcomer', 'useless', `no ${kind}`)
        assert.ok(faults.score('newcomer') >= BAN_BELOW, `banned after ${second} s and ${asked} requests`)
      }
      await clock.advance(1_000)
    }
    assert.ok(asked > 7 * 50)
  })

  it('fade', async () => {
    const { clock, faults } = open()
    faults.note('a', 'protocol', 'an unknown message')
    assert.equal(faults.score('a'), -50)
    await clock.advance(600_000)
    assert.equal(faults.score('a'), -25)
    assert.equal(faults.score('b'), 0)
  })

  it('are remembered of so many peers', () => {
    const { faults } = open()
    for (let i = 0; i < 1_025; i++) faults.note(`${i}`, 'useless', 'late')
    assert.equal(faults.causeOf('0'), null)
    assert.equal(faults.score('1024'), -1)
  })
})
