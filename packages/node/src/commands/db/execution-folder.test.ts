import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHash } from '@keelson/primitives'
import { claimDataDirectory } from '@keelson/runtime'
import { executionFolder } from './database-control.ts'

describe('folder of an execution client', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-db-folder-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
  const claim = (path: string, role: string) =>
    claimDataDirectory(path, { version: 1, role, chainId: 901n, genesisHash: toHash(`0x${'11'.repeat(32)}`) })

  it('is the one given, or the one inside the folder that devnet.json names', async () => {
    const inside = join(folder, 'execution')
    await claim(inside, 'execution')
    assert.equal(await executionFolder(folder), inside)
    assert.equal(await executionFolder(inside), inside)
  })

  it('is not looked for inside a folder that is some role’s own, nor taken from another role', async () => {
    assert.equal(await executionFolder(folder), folder)
    await claim(join(folder, 'execution'), 'consensus')
    assert.equal(await executionFolder(folder), folder)
    await claim(folder, 'consensus')
    assert.equal(await executionFolder(folder), folder)
  })
})
