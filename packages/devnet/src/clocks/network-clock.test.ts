import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { moveClock, openNetworkTime } from './network-clock.ts'

describe('the network’s time', () => {
  let folder: string
  let nowMs = 1_700_000_000_000
  const open = (firstStart = false, keepClock = true) => openNetworkTime(folder, () => nowMs, { firstStart, keepClock })
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-clock-'))
    nowMs = 1_700_000_000_000
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is the machine’s for a new network', () => {
    assert.equal(open(true).offsetMs, 0)
    assert.equal(open().offsetMs, 0)
  })

  it('with --keep-clock stops while nothing runs, over any number of pauses, in whole seconds', () => {
    open(true).beat()
    nowMs += 3_600_000 + 400
    const second = open()
    assert.equal(second.offsetMs, -3_600_000)
    nowMs += 10_000
    second.beat()
    nowMs += 5_000
    assert.equal(open().offsetMs, -3_605_000)
    assert.equal(open(true).offsetMs, 0, 'a new chain does not look back')
  })

  it('is the machine’s after a pause too, so that the chain catches up, unless --keep-clock is given', () => {
    open(true, false).beat()
    nowMs += 141_000
    const next = open(false, false)
    assert.equal(next.offsetMs, 0)
    next.beat()
    nowMs += 9_000
    assert.equal(open(false, true).offsetMs, -9_000)
  })

  it('runs ahead by what it was moved, at later starts too, and never goes back', () => {
    open(true, false).beat()
    moveClock(folder, 86_400_000)
    assert.equal(open(false, false).offsetMs, 86_400_000)
    assert.equal(open(false, true).offsetMs, 86_400_000)
    nowMs += 10_000
    const paused = open(false, true)
    assert.equal(paused.offsetMs, 86_390_000)
    paused.beat()
    moveClock(folder, 60_000)
    assert.equal(open(false, true).offsetMs, 86_450_000)
    assert.equal(open(false, false).offsetMs, 86_460_000, 'the pause is over')
    assert.equal(open(true, false).offsetMs, 0, 'a new chain has the machine’s time')
  })

  it('never runs ahead when the machine’s clock was set back, and does without a file it cannot read', () => {
    open(true).beat()
    nowMs -= 60_000
    assert.equal(Math.abs(open().offsetMs), 0)
    writeFileSync(join(folder, 'clock.json'), '{"networkTimeMs":')
    assert.equal(open().offsetMs, 0)
  })
})
