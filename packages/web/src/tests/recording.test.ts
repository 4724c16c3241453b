import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { RECORDING_LIMITS, RecordingReader } from '../shared/recording/index.ts'

const HEADER = { format: 'keelson-simulation', version: 1, seed: 7, about: '', days: 0.1, transactionsPerSec: 1, everyMs: 2_000 }
const HASH = '0123abcd'
const FIRST = {
  t: 0,
  machines: { 0: { name: 'l1', roles: ['node'] }, 1: { name: 'sequencer', roles: ['execution', 'consensus'] } },
  nodes: { 0: { processes: ['running'] }, 1: { processes: ['running', 'dead'], unsafe: [3, HASH], safe: [2, HASH], finalized: [0, HASH] } },
  l1: [1, HASH, 0, 0, 0],
  counters: [0, 0, 0],
}

const read = (...lines: readonly unknown[]) => {
  const reader = new RecordingReader()
  reader.push(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
  return reader.end()
}

describe('a recording of a simulation', () => {
  it('keeps what a line does not name', () => {
    const { frames } = read(HEADER, FIRST, { t: 2_000, nodes: { 1: { unsafe: [4, 'ffff0000'] } } }, { t: 4_000, cuts: [[0, 1]] })
    const [first, second, third] = frames
    assert.deepEqual(second?.machines[1]?.heads, {
      unsafe: { number: 4, hash: 'ffff0000' },
      safe: { number: 2, hash: HASH },
      finalized: { number: 0, hash: HASH },
    })
    assert.deepEqual(second?.machines[1]?.processes, ['running', 'dead'])
    assert.equal(first?.machines[1]?.heads?.unsafe.number, 3)
    assert.equal(third?.machines, second?.machines)
    assert.deepEqual([first?.cuts, third?.cuts], [[], [[0, 1]]])
  })

  it('comes with the pages as an example, whole, with faults and without a violation', () => {
    const reader = new RecordingReader()
    reader.push(readFileSync(new URL('../../public/recordings/example.jsonl', import.meta.url), 'utf8'))
    const { frames, faults, violations, isCut } = reader.end()
    assert.equal(isCut, false)
    assert.ok(frames.length > 60 && faults.length > 0, `${frames.length} frames, ${faults.length} faults`)
    assert.deepEqual(violations, [])
  })

  it('is read in pieces of any size', () => {
    const text = `${JSON.stringify(HEADER)}\n${JSON.stringify(FIRST)}\n${JSON.stringify({ t: 2_000 })}\n`
    const reader = new RecordingReader()
    for (const sign of text) reader.push(sign)
    assert.equal(reader.end().frames.length, 2)
  })

  it('may get machines, faults and violations later', () => {
    const fault = { atMs: 1_500, durationMs: 0, kind: 'l1-reorg', victim: 'l1', text: 'a reorg' }
    const violation = { atMs: 1_900, rule: 'a rule', text: 'is broken' }
    const recording = read(HEADER, FIRST, {
      t: 2_000,
      machines: { 2: { name: 'witness', roles: [] } },
      faults: [fault],
      violations: [violation],
    })
    assert.deepEqual(recording.faults, [fault])
    assert.deepEqual(recording.violations, [violation])
    assert.deepEqual(recording.frames[1]?.machines[2], { power: true, processes: [], heads: null })
  })

  it('is played up to the last whole line when the file is cut off', () => {
    const whole = read(HEADER, FIRST, { t: 2_000 })
    const cut = read(HEADER, FIRST, { t: 2_000 }, '{"t":4_0')
    assert.equal(whole.isCut, false)
    assert.deepEqual(cut, { ...whole, isCut: true })
  })

  for (const [name, lines, message] of [
    ['an empty file', [''], /no frames/],
    ['text', ['hello'], /^Error: Line 1: expected a recording, which .*--record FILE/],
    ['a schedule', ['{', '  "seed": 7'], /^Error: Line 1: expected a recording/],
    ['other JSON', [{ seed: 7 }], /^Error: Line 1: expected a recording/],
    ['another version', [{ ...HEADER, version: 2 }], /^Error: Line 1: version: expected 1/],
    ['a header alone', [HEADER], /no frames/],
    ['a first frame without L1', [HEADER, { t: 0 }], /^Error: Line 2: l1: expected a list/],
    ['a cut line before others', [HEADER, FIRST, '{"t":20', { t: 40 }], /^Error: Line 3: expected JSON/],
    ['time that goes back', [HEADER, { ...FIRST, t: 5 }, { t: 4 }], /^Error: Line 3: t: /],
    ['a node that does not exist', [HEADER, FIRST, { t: 1, nodes: { 2: {} } }], /^Error: Line 3: nodes\.2: expected the index of one of 2/],
    ['a prototype', [HEADER, FIRST, '{"t":1,"nodes":{"__proto__":{}}}'], /^Error: Line 3: nodes\.__proto__/],
    ['a gap between machines', [HEADER, FIRST, { t: 1, machines: { 9: { name: 'x', roles: [] } } }], /^Error: Line 3: machines\.9/],
    [
      'heads without a safe one',
      [HEADER, { ...FIRST, nodes: { 1: { unsafe: [1, HASH] } } }],
      /^Error: Line 2: nodes\.1\.safe: expected a list/,
    ],
    ['a hash with markup', [HEADER, FIRST, { t: 1, l1: [1, '<b>', 0, 0, 0] }], /^Error: Line 3: l1\[1\]/],
    [
      'an unknown state',
      [HEADER, FIRST, { t: 1, nodes: { 0: { processes: ['asleep'] } } }],
      /^Error: Line 3: nodes\.0\.processes\[0\]: expected one of/,
    ],
    ['too many processes', [HEADER, FIRST, { t: 1, nodes: { 0: { processes: ['dead', 'dead'] } } }], /at most 1 entries, got 2/],
    ['a cut to nowhere', [HEADER, FIRST, { t: 1, cuts: [[0, 5]] }], /^Error: Line 3: cuts\[0\]\[1\]/],
    ['a long name', [HEADER, { ...FIRST, machines: { 0: { name: 'n'.repeat(65), roles: [] } } }], /at most 64 characters/],
    ['a negative number', [HEADER, FIRST, { t: 1, counters: [-1, 0, 0] }], /^Error: Line 3: counters\[0\]/],
    [
      'a fault without a text',
      [HEADER, FIRST, { t: 1, faults: [{ atMs: 0, durationMs: 0, kind: 'x', victim: 'y' }] }],
      /faults\[0\]\.text/,
    ],
  ] as const) {
    it(`is not ${name}`, () => {
      assert.throws(() => read(...lines), message)
    })
  }

  it('has no line without end', () => {
    const reader = new RecordingReader()
    assert.throws(() => {
      for (let i = 0; i <= RECORDING_LIMITS.lineLength; i += 65_536) reader.push(' '.repeat(65_536))
    }, /^Error: Line 1: expected at most/)
  })

  it('has no more violations than the limit, over all lines', () => {
    const violations = Array.from({ length: 600 }, (_, i) => ({ atMs: i, rule: 'r', text: '' }))
    assert.throws(() => read(HEADER, { ...FIRST, violations }, { t: 1, violations }), /^Error: Line 3: violations: expected at most 400/)
  })
})
