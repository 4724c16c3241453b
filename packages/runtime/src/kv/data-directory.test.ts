import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHash } from '@keelson/primitives'
import { claimDataDirectory, type DataIdentity, recordDataVersion } from './data-directory.ts'

describe('data directory', () => {
  let directory: string
  const identity: DataIdentity = { version: 2, role: 'execution', chainId: 84532n, genesisHash: toHash(`0x${'ab'.repeat(32)}`) }
  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'keelson-data-')), 'data')
  })
  afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }))

  it('is claimed when fresh and recognised afterwards', async () => {
    assert.deepEqual(await claimDataDirectory(directory, identity), { version: 2, fresh: true })
    assert.deepEqual(await claimDataDirectory(directory, identity), { version: 2, fresh: false })
    assert.deepEqual(await readdir(directory), ['identity.json'])
  })

  it('does not follow a symbolic link planted in it when writing', async () => {
    await mkdir(directory)
    const elsewhere = join(directory, '..', 'elsewhere')
    await writeFile(elsewhere, 'mine')
    await symlink(elsewhere, join(directory, 'identity.json.new'))
    await claimDataDirectory(directory, identity)
    assert.equal(await readFile(elsewhere, 'utf8'), 'mine')
    assert.deepEqual(await readdir(directory), ['identity.json'])
  })

  it('of another chain, genesis or role is refused and left as it was', async () => {
    await claimDataDirectory(directory, identity)
    const before = await readFile(join(directory, 'identity.json'), 'utf8')
    for (const other of [
      { ...identity, chainId: 10n },
      { ...identity, genesisHash: toHash(`0x${'cd'.repeat(32)}`) },
      { ...identity, role: 'consensus' },
    ]) {
      await assert.rejects(claimDataDirectory(directory, other), (error: Error & { code: string }) => {
        assert.equal(error.code, 'runtime/data-directory-chain')
        assert.match(error.message, /holds execution data of chain 84532 .*choose another data directory/)
        return true
      })
    }
    assert.equal(await readFile(join(directory, 'identity.json'), 'utf8'), before)
  })

  it('of an older release returns its version for the migration, of a newer one is refused', async () => {
    await claimDataDirectory(directory, { ...identity, version: 1 })
    assert.deepEqual(await claimDataDirectory(directory, identity), { version: 1, fresh: false })
    await recordDataVersion(directory, identity)
    assert.equal((await claimDataDirectory(directory, identity)).version, 2)
    await assert.rejects(claimDataDirectory(directory, { ...identity, version: 1 }), { code: 'runtime/data-directory-version' })
  })

  it('with a broken file is refused', async () => {
    await claimDataDirectory(directory, identity)
    for (const text of ['{', '{"version":1}', 'null']) {
      await writeFile(join(directory, 'identity.json'), text)
      await assert.rejects(claimDataDirectory(directory, identity), { code: 'runtime/data-directory-unreadable' })
    }
  })
})
