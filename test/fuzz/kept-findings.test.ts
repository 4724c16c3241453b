import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openKeptFindings } from './kept-findings.ts'

describe('the findings of the fuzz runner', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-findings-'))
  const file = join(folder, 'fuzz', 'findings.jsonl')
  const finding = (seed: number, failure = 'one\ntwo') => ({ subject: 'rlp', seed, cases: 10, failure })
  after(() => rmSync(folder, { recursive: true }))

  it('are kept between runs until they are fixed', () => {
    const found = openKeptFindings(file)
    assert.deepEqual(found.list(), [])
    found.drop(finding(1))
    found.keep(finding(1))
    found.keep(finding(2))
    found.keep(finding(1, 'another message'))
    assert.deepEqual(openKeptFindings(file).list(), [finding(2), finding(1, 'another message')])
    found.drop(finding(2))
    assert.deepEqual(found.list(), [finding(1, 'another message')])
    found.drop(finding(1))
    assert.equal(existsSync(file), false)
  })

  it('are limited to the newest 200', () => {
    const found = openKeptFindings(file)
    for (let seed = 0; seed < 203; seed++) found.keep(finding(seed))
    assert.deepEqual(
      found.list().map(({ seed }) => seed),
      Array.from({ length: 200 }, (_, i) => i + 3),
    )
  })
})
