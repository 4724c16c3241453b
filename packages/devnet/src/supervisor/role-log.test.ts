import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRoleLog, type RoleLog } from './role-log.ts'

describe('what roles say', () => {
  let folder: string
  let log: RoleLog
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-role-log-'))
    log = createRoleLog(folder)
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const record = (fields: object) => JSON.stringify({ time: '2026-01-01T00:00:00Z', name: 'x', ...fields })

  it('is all kept, one file a role, also over a restart of the supervisor', () => {
    log.take('batcher', 'one')
    createRoleLog(folder).take('batcher', 'two')
    log.take('l1', 'three')
    assert.equal(readFileSync(join(folder, 'batcher.log'), 'utf8'), 'one\ntwo\n')
    assert.equal(readFileSync(join(folder, 'l1.log'), 'utf8'), 'three\n')
  })

  it('has a file for a role that says nothing, and keeps what was there', () => {
    log.take('beacon', 'earlier')
    createRoleLog(folder, ['beacon', 'index'])
    assert.deepEqual([readFileSync(join(folder, 'beacon.log'), 'utf8'), readFileSync(join(folder, 'index.log'), 'utf8')], ['earlier\n', ''])
  })

  it('reaches the console when a fork activates, from the sequencer alone', () => {
    const line = record({ level: 'info', message: 'a fork activates', fork: 'isthmus', block: 30, timestampSec: 1_060 })
    const shown = log.take('execution', line)
    assert.equal(shown?.kind === 'text' ? shown.text : null, 'fork isthmus activates in block 30, timestamp 1060')
    assert.equal(log.take('validator-execution', line), null)
  })

  it('reaches the console when it is a warning, an error, or no record at all', () => {
    assert.equal(log.take('batcher', record({ level: 'info', message: 'fine' })), null)
    assert.deepEqual(log.take('batcher', record({ level: 'warn', message: 'L1 is slow', ageSec: 9, host: 'a' })), {
      kind: 'text',
      level: 'warn',
      text: 'batcher: warn: L1 is slow ageSec=9 host=a',
      key: 'batcher: L1 is slow',
    })
    assert.equal(log.take('consensus', 'keelson: no L1')?.kind, 'text')
    assert.deepEqual(log.take('consensus', '{ not a record'), {
      kind: 'text',
      level: 'error',
      text: 'consensus: { not a record',
      key: 'consensus: { not a record',
    })
    assert.equal(log.take('l1', 'anvil chatters'), null)
  })

  it('says on the console that leadership moved, to whom and why', () => {
    const granted = record({
      level: 'info',
      message: 'leadership is granted',
      to: 'standby',
      from: 'sequencer',
      why: 'it does not answer',
      term: 2,
    })
    assert.deepEqual(log.take('conductor', granted), {
      kind: 'text',
      level: 'warn',
      text: 'leadership went to standby: it does not answer',
      key: 'leadership went to standby: it does not answer (term 2)',
    })
  })

  it('has blocks of the sequencer’s execution client only', () => {
    const block = record({ level: 'info', message: 'block', number: 7 })
    const shown = log.take('execution', block)
    assert.equal(shown?.kind === 'block' && shown.block.number, 7)
    assert.equal(log.take('validator-execution', block), null)
  })
})
