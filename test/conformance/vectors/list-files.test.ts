import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listFiles } from './list-files.ts'

describe('the list of a folder of vectors', () => {
  const root = mkdtempSync(join(tmpdir(), 'keelson-vectors-'))
  after(() => rmSync(root, { recursive: true, force: true }))

  it('follows links to files and folders, and reports broken and circular links and empty folders', () => {
    const [vectors, elsewhere] = [join(root, 'vectors'), join(root, 'elsewhere')]
    for (const folder of [join(vectors, 'kzg'), join(vectors, 'empty'), elsewhere]) mkdirSync(folder, { recursive: true })
    writeFileSync(join(vectors, 'kzg/b.json'), '{}')
    writeFileSync(join(vectors, 'kzg/a.json'), '{}')
    writeFileSync(join(elsewhere, 'x.json'), '{}')
    symlinkSync(elsewhere, join(vectors, 'linked'))
    symlinkSync(join(elsewhere, 'x.json'), join(vectors, 'kzg/c.json'))
    symlinkSync(join(root, 'nothing'), join(vectors, 'broken'))
    symlinkSync(vectors, join(vectors, 'kzg/loop'))
    const { paths, problems } = listFiles(vectors)
    assert.deepEqual(paths, ['kzg/a.json', 'kzg/b.json', 'kzg/c.json', 'linked/x.json'])
    assert.deepEqual(
      problems.map(({ path, message }) => `${path}: ${message.split(' ').slice(0, 3).join(' ')}`),
      ['broken: a link that', 'empty: an empty folder', 'kzg/loop: a link back'],
    )
  })
})
