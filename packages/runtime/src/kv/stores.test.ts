import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Level } from 'level'
import { nextTurn } from '../event-loop.ts'
import { createSystemRandom } from '../random.ts'
import { openLevelStore } from './level.ts'
import { createMemoryStore } from './memory.ts'
import { createStoreCheck } from './store-check.ts'
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

  it('the level library reads the same data', async () => {
    const directory = nextDirectory()
    const store = await openLevelStore({ directory })
    await store.batch([{ put: Uint8Array.of(1), value: Uint8Array.of(42) }])
    await store.close()
    const level = new Level<Uint8Array, Uint8Array>(directory, { keyEncoding: 'view', valueEncoding: 'view' })
    assert.deepEqual([...((await level.get(Uint8Array.of(1))) ?? [])], [42])
    await level.close()
  })

  it('LevelDB writes batches in call order, also behind a large one that is built in pieces', async () => {
    const store = await openLevelStore({ directory: nextDirectory() })
    const [first, last] = [Uint8Array.of(0), Uint8Array.of(1)]
    const large = (value: number) =>
      Array.from({ length: 10_000 }, (_, i) => ({ put: i === 0 ? first : Uint8Array.of(2, i >> 8, i), value: Uint8Array.of(value) }))
    const small = (value: number) => [{ put: first, value: Uint8Array.of(value) }]
    let turns = 0
    const counted = [1, 2, 3].map(() => nextTurn().then(() => turns++))
    const writes = [large(1), small(2), large(3), ...[4, 5, 6, 7, 8, 9].map(small)].map((ops) => store.batch(ops))
    const seen: (number | undefined)[] = []
    for (const written of writes) {
      await written
      seen.push(store.getSync(first)?.[0])
      if (seen.length === 1) assert.ok(turns > 0, 'others had their turn')
    }
    await Promise.all(counted)
    assert.deepEqual([...seen].sort(), seen)
    assert.equal(seen.at(-1), 9)
    assert.equal(store.getSync(Uint8Array.of(2, 39, 15))?.[0], 3)
    await store.batch([{ put: last, value: Uint8Array.of(9) }])
    assert.equal(store.getSync(last)?.[0], 9)
    await store.close()
  })

  it('LevelDB names a locked directory, who has it and the remedy', async () => {
    const directory = nextDirectory()
    // LevelDB forgets its lock when the process that has it opens the folder again.
    const hold = "new (require('level').Level)(process.argv[1]).open().then(() => console.log('held')); process.stdin.resume()"
    await mkdir(directory, { recursive: true })
    const holder = spawn(process.execPath, ['-e', hold, directory], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(holder.stdout, 'data')
    const who = process.platform === 'linux' ? `process ${holder.pid} (node -e ` : 'another program'
    await assert.rejects(openLevelStore({ directory }), (error: Error & { code: string }) => {
      assert.equal(error.code, 'runtime/store-locked')
      assert.ok(error.message.includes(`${directory} is locked by ${who}`), error.message)
      assert.match(error.message, /stop that program/)
      return true
    })
    holder.stdin.end()
    holder.kill()
    await once(holder, 'exit')
  })

  it('LevelDB stops writing after a failed write, reports it once, and continues to read', async () => {
    const directory = nextDirectory()
    const told: string[] = []
    const store = await openLevelStore({ directory, writeBufferBytes: 64 * 1024, onWriteFailure: ({ message }) => told.push(message) })
    const check = createStoreCheck(store)
    await store.batch([{ put: Uint8Array.of(1), value: Uint8Array.of(42) }], { sync: true })
    assert.deepEqual(await check.check(), { ok: true })
    await rm(directory, { recursive: true })
    const fill = async () => {
      for (let i = 0; i < 1_000; i++) await store.batch([{ put: Uint8Array.of(2, i >> 8, i), value: new Uint8Array(1_000).fill(i) }])
    }
    const line = async () => {
      const key = (i: number) => Uint8Array.of(4, i >> 8, i)
      const batches = Array.from({ length: 1_000 }, (_, i) => store.batch([{ put: key(i), value: new Uint8Array(1_000).fill(i) }]))
      const written = (await Promise.allSettled(batches)).map(({ status }) => status === 'fulfilled')
      const first = written.indexOf(false)
      assert.ok(first > 0 && !written.slice(first).includes(true), 'all after the first that failed')
      assert.equal(store.getSync(key(999)), null)
    }
    await line()
    await assert.rejects(fill(), { code: 'runtime/store-write' })
    await mkdir(directory)
    await assert.rejects(store.batch([{ del: Uint8Array.of(1) }]), { code: 'runtime/store-write' })
    assert.equal(told.length, 1)
    assert.match(told[0] ?? '', /writes are disabled, reads continue: .* start again/)
    assert.deepEqual(await check.check(), { ok: false, reason: told[0] })
    assert.deepEqual([...(store.getSync(Uint8Array.of(1)) ?? [])], [42])
    await store.close()
  })

  it('LevelDB returns the size of a key range and frees it when compacted', async () => {
    const store = await openLevelStore({ directory: nextDirectory(), writeBufferBytes: 64 * 1024 })
    const all = [Uint8Array.of(0), Uint8Array.of(255)] as const
    const keys = Array.from({ length: 500 }, (_, i) => Uint8Array.of(3, i >> 8, i))
    const random = createSystemRandom()
    await store.batch(keys.map((put) => ({ put, value: random.bytes(1_000) })))
    await store.compact(...all)
    const full = await store.approximateBytes(Uint8Array.of(3), Uint8Array.of(4))
    assert.ok(full > 400_000 && full < 600_000, String(full))
    assert.equal(await store.approximateBytes(Uint8Array.of(4), Uint8Array.of(5)), 0)
    await store.batch(keys.map((del) => ({ del })))
    await store.compact(...all)
    assert.ok((await store.approximateBytes(...all)) < 20_000)
    await store.close()
  })

  it('every read of a truncated table reports the damage and the remedy', async () => {
    const directory = nextDirectory()
    const keyOf = (i: number) => Uint8Array.of(1, i >> 8, i & 255)
    const first = await openLevelStore({ directory })
    await first.batch(Array.from({ length: 2_000 }, (_, i) => ({ put: keyOf(i), value: new Uint8Array(100).fill(i) })))
    await first.compact(keyOf(0), keyOf(2_000))
    await first.close()
    for (const name of await readdir(directory)) if (name.endsWith('.ldb')) await truncate(join(directory, name), 1_000)
    const store = await openLevelStore({ directory })
    try {
      const wanted = { code: 'runtime/store-corrupt', message: /is damaged .*keep a copy/ }
      assert.throws(() => store.getSync(keyOf(1_000)), wanted)
      assert.throws(() => store.snapshot().getSync(keyOf(1_000)), wanted)
      const walk = async () => {
        for await (const [key] of store.range(keyOf(0), keyOf(2_000))) assert.ok(key)
      }
      await assert.rejects(walk(), wanted)
    } finally {
      await store.close()
    }
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

  it('LevelDB reports an unusable path', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await assert.rejects(openLevelStore({ directory: join(file, 'db') }), { code: 'runtime/store-open' })
  })
})
