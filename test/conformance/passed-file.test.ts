import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPassedFile } from './passed-file.ts'

describe('file of passed cases', () => {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-passed-'))
  after(() => rmSync(directory, { recursive: true, force: true }))

  it('remembers by group, and outlives a crash in the middle of a line', () => {
    const path = join(directory, 'passed')
    const first = openPassedFile(path)
    assert.deepEqual(first.passed, {})
    first.add('a', '1')
    first.add('b', 'x "quoted"')
    appendFileSync(path, '["a","2')
    openPassedFile(path).add('a', '3')
    assert.deepEqual(openPassedFile(path).passed, { a: ['1', '3'], b: ['x "quoted"'] })
  })
})
