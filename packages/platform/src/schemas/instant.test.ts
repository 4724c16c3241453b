import assert from 'node:assert/strict'
import { parseInstant } from './instant.ts'

const NOON = Date.UTC(2026, 0, 31, 12)

describe('timestamps in requests', () => {
  it('may name an offset, or none for UTC', () => {
    for (const text of [
      '2026-01-31T12:00:00Z',
      '2026-01-31t12:00:00z',
      '2026-01-31T12:00:00',
      '2026-01-31 12:00',
      '2026-01-31T14:30:00+02:30',
      '2026-01-31T07:00:00-0500',
      '2026-01-31T12:00:00.000000Z',
      String(NOON / 1000),
      String(NOON),
    ])
      assert.equal(parseInstant(text), NOON, text)
    assert.equal(parseInstant('2026-01-31'), Date.UTC(2026, 0, 31))
    assert.equal(parseInstant('0001-01-01'), new Date('0001-01-01T00:00:00Z').getTime())
    assert.equal(parseInstant('2024-02-29T00:00:00'), Date.UTC(2024, 1, 29))
  })

  it('round up to whole milliseconds', () => {
    assert.equal(parseInstant('2026-01-31T12:00:00.0000001Z'), NOON + 1)
    assert.equal(parseInstant('2026-01-31T12:00:00.001Z'), NOON + 1)
    assert.equal(parseInstant('2026-01-31T12:00:00,5Z'), NOON + 500)
    // RFC 3339, section 5.6: a fraction has any number of digits.
    assert.equal(parseInstant('2026-01-31T12:00:00.000000000000Z'), NOON)
    assert.equal(parseInstant('2026-01-31T12:00:00.0000000000001Z'), NOON + 1)
  })

  it('are refused when no such time exists', () => {
    for (const text of [
      '',
      'yesterday',
      '2026-02-30',
      '2026-13-01',
      '2026-01-00',
      '2026-01-31T24:00:00Z',
      '2026-01-31T12:60',
      '2026-01-31T12',
      '2026-01-31T12:00:00+25:00',
      '0000-01-01',
      '999999999999999',
      '1e9',
      '2026-01-31T12:00:00 02:00',
    ])
      assert.equal(parseInstant(text), null, text)
  })
})
