import assert from 'node:assert/strict'
import { boundsOf, findPeriod } from './period.ts'
import { splitWords } from './words.ts'

const NOW = Date.parse('2026-03-04T05:06:07Z')

describe('the time that a text asks about', () => {
  for (const [text, start, end] of [
    ['pnl today', '2026-03-04', undefined],
    ['pnl yesterday', '2026-03-03', '2026-03-04'],
    ['pnl this week', '2026-03-02', undefined],
    ['pnl of last week', '2026-02-23', '2026-03-02'],
    ['volume this month', '2026-03-01', undefined],
    ['volume last month', '2026-02-01', '2026-03-01'],
    ['volume this year', '2026-01-01', undefined],
    ['volume last year', '2025-01-01', '2026-01-01'],
    ['volume of the last 24 hours', '2026-03-03T05:06:07', undefined],
    ['volume of the past 7 days', '2026-02-25T05:06:07', undefined],
    ['volume of the past week', '2026-02-25T05:06:07', undefined],
    ['24h volume', '2026-03-03T05:06:07', undefined],
    ['volume since 2026-02-03', '2026-02-03', undefined],
  ] as const) {
    it(`reads: ${text}`, () => {
      const { value } = findPeriod(splitWords(text))
      assert.ok(value !== null)
      const bounds = boundsOf(value, NOW)
      const ms = (moment: string) => Date.parse(moment.includes('T') ? `${moment}Z` : moment)
      assert.deepEqual(
        [bounds?.start, bounds?.end].map((moment) => (moment === undefined ? undefined : Date.parse(moment))),
        [ms(start), end === undefined ? undefined : ms(end)],
      )
    })
  }

  for (const text of ['pnl since monday', 'pnl in march', 'volume 3 weeks ago', 'volume since 2026-02-31', 'pnl last quarter']) {
    it(`sees a time that it cannot read: ${text}`, () => {
      assert.deepEqual(findPeriod(splitWords(text)), { value: { kind: 'unread' }, used: [] })
    })
  }

  it('sees none where there is none', () => {
    for (const text of ['', 'pnl', 'my volume of all time', 'what is my pnl?']) assert.equal(findPeriod(splitWords(text)).value, null)
  })
})
