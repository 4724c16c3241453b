import assert from 'node:assert/strict'
import { type Address, toAddress } from '@keelson/primitives'
import { OffencesJudge, type OffencesView, REPORT_MS } from './offences-judge.ts'

const KEY = toAddress(`0x${'11'.repeat(20)}`)
const RULE = 'a key that signs twice is slashed'
const AT_MS = 1_000_000

describe('the judge of offences', () => {
  let rules: string[]
  let judge: OffencesJudge

  beforeEach(() => {
    rules = []
    judge = new OffencesJudge((rule) => rules.push(rule))
  })

  const look = (nowMs: number, view: Partial<OffencesView> = {}) =>
    judge.look({ nowMs, lastFaultMs: 0, offenders: new Map(), heard: [], isSlashed: () => false, ...view })
  const offenders = new Map<Address, number>([[KEY, AT_MS]])

  it('reports an offender that is not slashed in time, once', () => {
    look(AT_MS + REPORT_MS, { offenders })
    assert.deepEqual(rules, [])
    look(AT_MS + REPORT_MS + 1, { offenders })
    look(AT_MS + REPORT_MS + 2, { offenders })
    assert.deepEqual(rules, [RULE])
  })

  it('allows the time from the last fault on', () => {
    const lastFaultMs = AT_MS + 500
    look(lastFaultMs + REPORT_MS, { offenders, lastFaultMs })
    assert.deepEqual(rules, [])
    look(lastFaultMs + REPORT_MS + 1, { offenders, lastFaultMs })
    assert.deepEqual(rules, [RULE])
  })

  it('is content with an offender that is slashed', () => {
    look(AT_MS + 2 * REPORT_MS, { offenders, isSlashed: (key) => key === KEY })
    assert.deepEqual(rules, [])
  })

  it('reports two attestations that an honest node heard once, and nobody reported', () => {
    look(AT_MS, { heard: [KEY] })
    look(AT_MS + REPORT_MS)
    assert.deepEqual(rules, [])
    look(AT_MS + REPORT_MS + 1)
    assert.deepEqual(rules, [RULE])
  })

  it('forgets what a node heard when a fault follows, or lasts', () => {
    look(AT_MS, { heard: [KEY] })
    look(AT_MS + 20, { lastFaultMs: AT_MS + 10 })
    look(AT_MS + 30, { lastFaultMs: AT_MS + 40, heard: [KEY] })
    look(AT_MS + 3 * REPORT_MS, { lastFaultMs: AT_MS + 40 })
    assert.deepEqual(rules, [])
  })
})
