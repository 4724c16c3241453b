import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { CodecError } from '@keelson/primitives'
import { createManualClock } from './clock.ts'
import { createLogger, type LoggerOptions } from './log.ts'
import { fingerprint, Secret } from './secret.ts'

function capture(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = []
  const clock = createManualClock(Date.UTC(2026, 0, 2, 3, 4, 5, 6))
  const log = createLogger({ clock, sink: { terminal: false, write: (line) => lines.push(line) }, ...options })
  return { lines, clock, log }
}

describe('log', () => {
  it('writes JSON lines with big integers, bytes and coded errors spelled out', () => {
    const { lines, log } = capture({ name: 'batcher' })
    log.child('tx').warn('late', { wei: 10n ** 20n, data: Uint8Array.of(1, 255), error: new CodecError('codec/rlp', 'short', { at: 3 }) })
    assert.deepEqual(JSON.parse(lines[0] as string), {
      time: '2026-01-02T03:04:05.006Z',
      level: 'warn',
      name: 'batcher/tx',
      message: 'late',
      wei: '100000000000000000000',
      data: '0x01ff',
      error: { code: 'codec/rlp', message: 'short', at: 3 },
    })
  })

  it('writes one readable line for people', () => {
    const { lines, log } = capture({ format: 'human', name: 'node' })
    log.info('block', { number: 7, note: 'two words' })
    assert.match(lines[0] as string, /^INFO {2}03:04:05\.006 node: block +number=7 note="two words"$/)
  })

  /** What ISO 6429 and the Unicode standard give to a terminal's state and the order of text, and what is invisible. */
  const unsafe = [
    ...Array.from({ length: 0x20 }, (_, code) => code),
    ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
    ...[0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e],
    ...[0x2066, 0x2067, 0x2068, 0x2069, 0xfeff, 0xe0001, 0xe007f, 0xd800],
  ].map((code) => String.fromCodePoint(code))

  it("does not let a stranger's text control the terminal, in messages, names, fields, keys, errors and stacks", () => {
    for (const char of unsafe) {
      const evil = `a${char}b`
      const stack = Object.assign(new Error(evil), { stack: `Error: ${evil}\n    at ${evil}` })
      const coded = new CodecError('codec/rlp', evil, { [evil]: evil })
      for (const format of ['human', 'json'] as const) {
        const { lines, log } = capture({ format, name: evil })
        const cause = new Error('outer', { cause: evil })
        log.info(evil, {
          [evil]: evil,
          spaced: `${evil} c`,
          list: [evil],
          object: { [evil]: evil },
          set: new Set([evil]),
          stack,
          coded,
          cause,
        })
        assert.equal(lines.length, 1)
        for (const other of unsafe) {
          const isFound = (lines[0] as string).replace(/\n$/, '').includes(other)
          assert.equal(isFound, false, `${format}: ${other.codePointAt(0)?.toString(16)} of ${char.codePointAt(0)?.toString(16)}`)
        }
        if (format === 'json') assert.equal(JSON.parse(lines[0] as string).spaced, `${evil} c`)
      }
    }
  })

  it('leaves letters of all scripts readable', () => {
    const { lines, log } = capture({ format: 'human' })
    log.info('größer 鍵 ключ مفتاح 🔑', {})
    assert.match(lines[0] as string, /größer 鍵 ключ مفتاح 🔑/)
  })

  it('drops lines below its level', () => {
    const { lines, log } = capture({ level: 'warn' })
    log.debug('a')
    log.info('b')
    log.error('c')
    assert.equal(lines.length, 1)
  })

  it('counts a message that repeats too fast and reports how many were suppressed', async () => {
    const { lines, clock, log } = capture({ burst: 3, linesPerSec: 1 })
    for (let i = 0; i < 10; i++) log.warn('again')
    log.warn('another message is not held back')
    assert.equal(lines.length, 4)
    await clock.advance(1000)
    log.warn('again')
    assert.equal(JSON.parse(lines[4] as string).suppressedBefore, 7)
  })

  it('limits the size of a field', () => {
    const { lines, log } = capture()
    log.info('big', { text: 'x'.repeat(100_000), bytes: new Uint8Array(100_000), list: new Array(100_000).fill(1) })
    assert.ok((lines[0] as string).length < 5000)
  })

  it('never prints a secret', () => {
    const { lines, log } = capture()
    const secret = new Secret('hunter2')
    log.error('with a secret', { secret, nested: { list: [secret] }, map: new Map([['k', secret]]) })
    const shown = [...lines, String(secret), JSON.stringify({ secret }), inspect({ secret }), `${secret}`].join('\n')
    assert.ok(!shown.includes('hunter2'))
    assert.equal(secret.reveal(), 'hunter2')
  })

  it('distinguishes secrets by fingerprints', () => {
    assert.match(fingerprint(new Secret('a')), /^[0-9a-f]{8}$/)
    assert.equal(fingerprint(new Secret('a')), fingerprint(new Secret('a')))
    assert.notEqual(fingerprint(new Secret('a')), fingerprint(new Secret('b')))
  })
})
