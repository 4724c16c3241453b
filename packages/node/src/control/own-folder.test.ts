import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { controlSocketPath } from './control-socket.ts'
import { assertOwnFolder } from './own-folder.ts'

describe('the control socket of a data directory with a long path', () => {
  const before = process.env.TMPDIR
  const dataDir = join('/', 'd'.repeat(200))
  let temporary: string
  beforeEach(async () => {
    delete process.env.TMPDIR
    temporary = await mkdtemp(join(tmpdir(), 'keelson-tmp-'))
    process.env.TMPDIR = temporary
  })
  afterEach(async () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    await rm(temporary, { recursive: true })
  })

  it('is not used in a folder that another user of the machine created first', async () => {
    const folder = dirname(controlSocketPath(dataDir))
    assert.equal(dirname(folder), temporary)
    await assertOwnFolder(dataDir)
    await mkdir(folder, { mode: 0o700 })
    await assertOwnFolder(dataDir)
    await chmod(folder, 0o777)
    await assert.rejects(assertOwnFolder(dataDir), { code: 'node/control', message: /directory of this user with mode 700/ })
    await rm(folder, { recursive: true })
    await mkdir(join(temporary, 'elsewhere'), { mode: 0o700 })
    await symlink(join(temporary, 'elsewhere'), folder)
    await assert.rejects(assertOwnFolder(dataDir), { code: 'node/control' })
  })
})
