import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPassedFile, type PassOrigin } from './passed-file.ts'

const ORIGIN: PassOrigin = { vectors: 'v1', code: 'c1', selection: 's1' }

describe('the file of passed cases', () => {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-passed-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  let count = 0
  const newPath = () => join(directory, `passed-${count++}`)
  const open = (path: string, origin = ORIGIN) => openPassedFile(path, () => origin)

  it('stores cases by group and survives a crash in the middle of a line', () => {
    const path = newPath()
    const first = open(path)
    assert.deepEqual(first.passed, {})
    first.add('a', '1')
    first.add('b', 'x "quoted"')
    appendFileSync(path, '["a","2')
    open(path).add('a', '3')
    assert.deepEqual(open(path).passed, { a: ['1', '3'], b: ['x "quoted"'] })
  })

  it('ignores passes of other vectors, other code or another selection', () => {
    const path = newPath()
    open(path).add('a', '1')
    assert.throws(() => open(path, { ...ORIGIN, vectors: 'v2' }), /other vectors/)
    assert.throws(() => open(path, { ...ORIGIN, code: 'c2' }), /other code/)
    assert.throws(() => open(path, { ...ORIGIN, selection: 's2' }), /other --group, --grep or --sample/)
  })

  it('rejects a damaged file and a file of another kind', () => {
    const path = newPath()
    const file = open(path)
    file.add('a', 'case 1')
    file.add('a', 'case 2')
    const text = readFileSync(path, 'utf8')
    for (const changed of [
      text.replace('case 1', 'case 3'),
      text.replace('["a","case 1"', '["a","case 1'),
      text.replace(/,"[0-9a-f]{16}"\]/, ']'),
    ]) {
      writeFileSync(path, changed)
      assert.throws(() => open(path), /line 2 is damaged/)
    }
    writeFileSync(path, '["a","case 1","0123456789abcdef"]\n')
    assert.throws(() => open(path), /not a file of passed cases/)
    writeFileSync(path, 'hello')
    assert.throws(() => open(path), /not a file of passed cases/)
  })

  it('accepts the joined files of several shards', () => {
    const [one, two] = [newPath(), newPath()]
    open(one).add('a', '1')
    open(two).add('a', '2')
    appendFileSync(one, readFileSync(two))
    assert.deepEqual(open(one).passed, { a: ['1', '2'] })
  })
})
