import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chooseRoles, openLogTail } from './log-tail.ts'
import { renderLine } from './render-line.ts'

const record = (second: number, message: string) =>
  JSON.stringify({ block: 7, time: `2026-01-01T00:00:0${second}.000Z`, level: 'info', name: 'x', message })

describe('the logs of roles', () => {
  let folder: string
  const file = (role: string) => join(folder, `${role}.log`)
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-logs-'))
    writeFileSync(file('execution'), `${record(1, 'one')}\n${record(3, 'three')}\n  at a stack\n`)
    writeFileSync(file('batcher'), `${record(2, 'two')}\n${record(4, 'four')}\n`)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('of several roles come in the order of time, the newest of them', () => {
    const shown = openLogTail(folder, chooseRoles(folder, null)).newest(4)
    assert.deepEqual(
      shown.map(({ role, line }) => [role, line.startsWith('{') ? (JSON.parse(line) as { message: string }).message : line]),
      [
        ['batcher', 'two'],
        ['execution', 'three'],
        ['execution', '  at a stack'],
        ['batcher', 'four'],
      ],
    )
  })

  it('continue with whole new lines, across a rotation', () => {
    const tail = openLogTail(folder, ['execution'])
    tail.newest(0)
    assert.deepEqual(tail.more(), [])
    appendFileSync(file('execution'), 'half')
    assert.deepEqual(tail.more(), [])
    appendFileSync(file('execution'), ' a line\nlast of the old file\n')
    renameSync(file('execution'), `${file('execution')}.1`)
    writeFileSync(file('execution'), 'first of the new\n')
    assert.deepEqual(
      tail.more().map(({ line }) => line),
      ['half a line', 'last of the old file', 'first of the new'],
    )
  })

  it('name the roles there are', () => {
    assert.throws(() => chooseRoles(folder, '../secret'), { code: 'node/usage', message: /there are batcher, execution$/ })
    assert.throws(() => chooseRoles(join(folder, 'none'), null), { code: 'node/usage', message: /there are no logs/ })
    assert.throws(() => chooseRoles(join(folder, 'two', 'logs'), null), { message: new RegExp(`--data-dir ${join(folder, 'two')}$`) })
  })

  it('are printed with time, level and fields, and as they are when they are no records', () => {
    const style = { width: 9, coloured: false }
    assert.equal(
      renderLine({ role: 'batcher', line: record(2, 'two') }, style),
      `batcher    INFO  00:00:02.000 ${'two'.padEnd(44)} block=7`,
    )
    assert.equal(renderLine({ role: 'l1', line: 'Listening' }, style), 'l1         Listening')
    assert.equal(renderLine({ role: 'l1', line: '{"time":"x"}' }, style), 'l1         {"time":"x"}')
  })
})
