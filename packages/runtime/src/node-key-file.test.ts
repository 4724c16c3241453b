import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadNodeKey } from './node-key-file.ts'

describe('node key file', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'node-key-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('creates a key that only its user can read, and reads it again', async () => {
    const path = join(folder, 'deeper', 'nodekey')
    const key = await loadNodeKey(path)
    assert.equal(key.length, 32)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.deepEqual(await loadNodeKey(path), key)
  })

  it('reads hex with and without 0x', async () => {
    const path = join(folder, 'nodekey')
    await writeFile(path, `0x${'07'.repeat(32)}\n`)
    assert.deepEqual(await loadNodeKey(path), new Uint8Array(32).fill(7))
  })

  it('refuses anything else, and does not replace it', async () => {
    const path = join(folder, 'nodekey')
    await writeFile(path, 'short')
    await assert.rejects(loadNodeKey(path), { code: 'runtime/node-key', message: /32 bytes of hex/ })
  })
})
