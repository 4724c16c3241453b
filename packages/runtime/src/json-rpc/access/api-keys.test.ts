import assert from 'node:assert/strict'
import { apiKeyDigest, decodeApiKeys } from './api-keys.ts'

const ENTERPRISE = { perSec: 2000, burst: 4000 }
const entry = (name: string, tier = 'developer', key = `key-of-${name}`) => ({ name, tier, sha256: apiKeyDigest(key) })

function mistakes(file: unknown): readonly string[] {
  const decoded = decodeApiKeys(typeof file === 'string' ? file : JSON.stringify(file))
  assert.equal(decoded.ok, false)
  return decoded.ok ? [] : decoded.mistakes
}

describe('the file of API keys', () => {
  it('gives each key its tier', () => {
    const decoded = decodeApiKeys(
      JSON.stringify({ tiers: { enterprise: ENTERPRISE }, keys: [entry('acme', 'enterprise'), entry('dev'), entry('upper')] }),
    )
    assert.ok(decoded.ok)
    assert.equal(decoded.keys.count, 3)
    assert.deepEqual(decoded.keys.find('key-of-acme'), { name: 'acme', tier: 'enterprise', rate: ENTERPRISE })
    assert.deepEqual(decoded.keys.find('key-of-dev'), { name: 'dev', tier: 'developer', rate: { perSec: 500, burst: 750 } })
    assert.equal(decoded.keys.find('key-of-nobody'), null)
    assert.equal(decoded.keys.find(apiKeyDigest('key-of-dev')), null)
    assert.deepEqual(decoded.keys.tiers.anonymous, { perSec: 100, burst: 150 })
  })

  it('may change the built-in tiers, and may be empty', () => {
    const decoded = decodeApiKeys('{"tiers":{"anonymous":{"perSec":0.5,"burst":1}}}')
    assert.ok(decoded.ok)
    assert.deepEqual(decoded.keys.tiers.anonymous, { perSec: 0.5, burst: 1 })
    assert.ok(decodeApiKeys('{}').ok)
  })

  it('is rejected with the position of invalid JSON', () => {
    assert.deepEqual(mistakes('{\n  "keys": [\n    nonsense\n  ]\n}'), ['not JSON: line 3, column 6'])
    assert.deepEqual(mistakes('{"keys": [],}'), ['not JSON: line 1, column 13'])
    assert.deepEqual(mistakes('{} {}'), ['not JSON: line 1, column 4'])
    for (const text of ['', '{', '{"a', '{"keys": [', '[tru']) assert.deepEqual(mistakes(text), ['not JSON: the text ends too early'], text)
  })

  it('is rejected with every wrong field', () => {
    assert.deepEqual(mistakes([]), ['expected an object with "tiers" and "keys"'])
    assert.deepEqual(mistakes({ tiers: [], keys: {} }), ['tiers: expected an object of tiers by name', 'keys: expected a list'])
    assert.deepEqual(
      mistakes({
        kyes: [],
        tiers: {
          trusted: ENTERPRISE,
          'a b': ENTERPRISE,
          low: { perSec: 0, burst: 0 },
          half: { perSec: 1, burst: 1.5 },
          odd: { perSec: '9', burst: 2e6, rate: 1 },
          none: 5,
        },
      }),
      [
        'kyes: unknown; known are tiers, keys',
        'tiers.trusted: this name is reserved for callers without a limit',
        'tiers.a b: a name is 1 to 64 letters, digits, dots, dashes and underscores',
        'tiers.low.perSec: expected a number from 0.001 to 1000000',
        'tiers.low.burst: expected a whole number from 1 to 1000000',
        'tiers.half.burst: expected a whole number from 1 to 1000000',
        'tiers.odd.rate: unknown; known are perSec, burst',
        'tiers.odd.perSec: expected a number from 0.001 to 1000000',
        'tiers.odd.burst: expected a whole number from 1 to 1000000',
        'tiers.none: expected {"perSec": calls, "burst": calls}',
      ],
    )
    assert.deepEqual(
      mistakes({
        keys: [
          entry('a'),
          entry('a', 'developer', 'x'),
          entry('b', 'developer', 'key-of-a'),
          entry('c', 'enterprise'),
          7,
          { ...entry('d'), key: 'k' },
          entry(''),
        ],
      }),
      [
        'keys[1].name: "a" appears twice',
        'keys[2].sha256: this key appears twice',
        'keys[3].tier: expected one of anonymous, developer',
        'keys[4]: expected {"name", "tier", "sha256"}',
        'keys[5].key: unknown; known are name, tier, sha256',
        'keys[6].name: expected 1 to 64 letters, digits, dots, dashes and underscores',
      ],
    )
    assert.deepEqual(mistakes({ keys: [entry('a', 'constructor')] }), ['keys[0].tier: expected one of anonymous, developer'])
  })

  it('never shows a key that was entered instead of its digest', () => {
    const key = 'my-plain-key-0123456789'
    assert.ok(!JSON.stringify(mistakes({ keys: [{ name: 'a', tier: 'developer', sha256: key }] })).includes(key))
    assert.ok(!JSON.stringify(mistakes(`{"keys": ["${key}" oops`)).includes(key))
  })
})
