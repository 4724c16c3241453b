import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLevelStore } from './level.ts'
import { createMemoryStore } from './memory.ts'
import { keyValueStoreSuite, snapshotSuite } from './store-suite.test-support.ts'

describe('stores', () => {
  let folder: string
  let count = 0
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-kv-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))
  const nextDirectory = () => join(folder, 'nested', String(count++))

  keyValueStoreSuite('memory', async () => createMemoryStore())
  keyValueStoreSuite('LevelDB', () => openLevelStore({ directory: nextDirectory() }))
  snapshotSuite('memory', async () => createMemoryStore())
  snapshotSuite('LevelDB', () => openLevelStore({ directory: nextDirectory() }))

  it('LevelDB keeps its data over a restart', async () => {
    const directory = nextDirectory()
    const first = await openLevelStore({ directory })
    await first.batch([{ put: Uint8Array.of(1), value: Uint8Array.of(42) }], { sync: true })
    await first.close()
    const second = await openLevelStore({ directory })
    assert.deepEqual([...(second.getSync(Uint8Array.of(1)) ?? [])], [42])
    await second.close()
  })

  it('LevelDB names the directory that is held elsewhere and what to do', async () => {
    const directory = nextDirectory()
    const holder = await openLevelStore({ directory })
    await assert.rejects(openLevelStore({ directory }), (error: Error & { code: string }) => {
      assert.equal(error.code, 'runtime/store-locked')
      assert.ok(error.message.includes(directory) && /stop that process/.test(error.message))
      return true
    })
    await holder.close()
  })

  it('LevelDB refuses a damaged directory by name', async () => {
    const directory = nextDirectory()
    await (await openLevelStore({ directory })).close()
    await writeFile(join(directory, 'CURRENT'), 'no such manifest\n')
    await assert.rejects(openLevelStore({ directory }), (error: Error & { code: string }) => {
      assert.match(error.code, /^runtime\/store-(corrupt|open)$/)
      assert.ok(error.message.includes(directory))
      return true
    })
  })

  it('LevelDB says when the path cannot be used', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await assert.rejects(openLevelStore({ directory: join(file, 'db') }), { code: 'runtime/store-open' })
  })
})
