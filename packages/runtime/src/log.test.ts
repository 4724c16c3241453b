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
