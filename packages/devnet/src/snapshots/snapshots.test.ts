import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { assertCanTake, captureSnapshot, finishRestore, listSnapshots, restoreStaged, stageSnapshot } from './snapshots.ts'

const TAKEN_MS = 1_700_000_000_000

async function takeSnapshot(folder: string, name: string, takenMs: number, l1State: Uint8Array | null = null) {
  await assertCanTake(folder, name)
  return (await captureSnapshot(folder, name, { takenMs, l1State }))()
}

describe('snapshots of a network', () => {
  let folder: string
  const at = (...names: string[]) => join(folder, ...names)
  const write = (path: string, text: string) => {
    mkdirSync(join(at(path), '..'), { recursive: true, mode: 0o700 })
    writeFileSync(at(path), text)
  }
  const read = (path: string) => readFileSync(at(path), 'utf8')
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-snapshots-'))
    write('sequencer/execution/chain/000001.log', 'block 1')
    writeFileSync(at('sequencer', 'jwt.hex'), 'secret', { mode: 0o600 })
    write('l1/state.json', '{"best_block_number":1}')
    write('clock.json', '{"networkTimeMs":1}')
    write('logs/execution.log', 'a line')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('bring back every file with its permissions, remove what came later, and leave the logs', async () => {
    await takeSnapshot(folder, 'before', TAKEN_MS)
    assert.deepEqual(
      (await listSnapshots(folder)).map(({ name, takenMs }) => [name, takenMs]),
      [['before', TAKEN_MS]],
    )
    write('sequencer/execution/chain/000001.log', 'block 2')
    write('sequencer/later', 'x')
    write('standby/execution/chain/000001.log', 'of a second sequencer')
    write('logs/execution.log', 'two lines')
    await stageSnapshot(folder, 'before')
    assert.equal(read('sequencer/execution/chain/000001.log'), 'block 2', 'staging leaves the network alone')
    await restoreStaged(folder)
    assert.equal(read('sequencer/execution/chain/000001.log'), 'block 1')
    assert.equal(read('clock.json'), '{"networkTimeMs":1}')
    assert.equal(statSync(at('sequencer', 'jwt.hex')).mode & 0o777, 0o600)
    assert.equal(read('logs/execution.log'), 'two lines')
    assert.deepEqual(readdirSync(folder).sort(), ['clock.json', 'l1', 'logs', 'sequencer', 'snapshots'])
  })

  it('are complete or not there: an interrupted one is neither listed nor restored', async () => {
    write('snapshots/.unfinished/content/l1/state.json', '{"best_b')
    assert.deepEqual(await listSnapshots(folder), [])
    await assert.rejects(stageSnapshot(folder, '.unfinished'), { code: 'node/usage', message: /begins with a letter or digit/ })
    await takeSnapshot(folder, 'next', TAKEN_MS)
    assert.deepEqual(readdirSync(at('snapshots')), ['next'])
  })

  it('are refused when a file is damaged or missing, and the network stays as it is', async () => {
    await takeSnapshot(folder, 'a', TAKEN_MS)
    const file = at('snapshots', 'a', 'content', 'l1', 'state.json.gz')
    writeFileSync(file, gzipSync('{"best_block_number":2}'))
    const refused = { code: 'node/snapshot', message: /l1\/state\.json is not what was saved/ }
    await assert.rejects(stageSnapshot(folder, 'a'), refused)
    rmSync(file)
    await assert.rejects(stageSnapshot(folder, 'a'), { code: 'node/snapshot' })
    await finishRestore(folder)
    assert.equal(read('l1/state.json'), '{"best_block_number":1}')
    assert.equal(existsSync(at('restoring')), false)
  })

  describe('from a stranger', () => {
    const MANIFEST = ['snapshots', 'a', 'snapshot.json'] as const
    const change = (edit: (manifest: { folders: unknown[]; files: Record<string, unknown>[] }) => void) => {
      const manifest = JSON.parse(read(join(...MANIFEST)))
      edit(manifest)
      writeFileSync(at(...MANIFEST), JSON.stringify(manifest))
    }
    beforeEach(() => takeSnapshot(folder, 'a', TAKEN_MS))

    for (const path of ['../outside', 'l1/../../outside', '/tmp/outside', 'l1//x', './x', '', 'l1/\0', '..\\outside', 5, null]) {
      it(`cannot name a file or folder ${JSON.stringify(path)}`, async () => {
        const refused = { code: 'node/snapshot', message: /snapshot\.json cannot be read \(.*expected a path below the snapshot/ }
        const before = readdirSync(join(folder, '..')).length
        change(({ files }) => files.push({ ...files[0], path }))
        await assert.rejects(stageSnapshot(folder, 'a'), refused)
        change(({ files, folders }) => {
          files.pop()
          folders.push(path)
        })
        await assert.rejects(stageSnapshot(folder, 'a'), refused)
        assert.equal(readdirSync(join(folder, '..')).length, before)
      })
    }

    it('cannot have fields of another form', async () => {
      for (const fields of [{ bytes: -1 }, { bytes: '1' }, { isLinked: 1 }, { sha256: null }, { isLinked: true }, { sha256: '00' }]) {
        const whole = read(join(...MANIFEST))
        change(({ files }) => Object.assign(files[0] ?? {}, fields))
        await assert.rejects(stageSnapshot(folder, 'a'), { code: 'node/snapshot', message: /cannot be read \(files\[0\]/ })
        writeFileSync(at(...MANIFEST), whole)
      }
      writeFileSync(at(...MANIFEST), '[]')
      await assert.rejects(stageSnapshot(folder, 'a'), { code: 'node/snapshot' })
    })

    it('cannot lead out of its folder by links, wait at a pipe, or claim another size', async () => {
      const file = at('snapshots', 'a', 'content', 'l1', 'state.json.gz')
      const content = readFileSync(file)
      const refused = { code: 'node/snapshot', message: /l1\/state\.json is not what was saved/ }
      writeFileSync(at('elsewhere.gz'), content)
      rmSync(file)
      symlinkSync(at('elsewhere.gz'), file)
      await assert.rejects(stageSnapshot(folder, 'a'), refused)
      rmSync(file)
      execFileSync('mkfifo', [file])
      await assert.rejects(stageSnapshot(folder, 'a'), refused)
      rmSync(file)
      writeFileSync(file, content)
      for (const bytes of [100, 2 ** 52]) {
        change(({ files }) => Object.assign(files.find(({ path }) => path === 'l1/state.json') ?? {}, { bytes }))
        await assert.rejects(stageSnapshot(folder, 'a'), (error: { code?: string }) =>
          ['node/snapshot', 'node/disk'].includes(error.code ?? ''),
        )
      }
    })

    it('cannot lead out of its folder by a folder that is a link, nor link what a network writes again', async () => {
      mkdirSync(at('elsewhere'))
      writeFileSync(at('elsewhere', '000001.ldb'), '12345')
      const table = { bytes: 5, isLinked: true, storedBytes: 0, sha256: null }
      symlinkSync(at('elsewhere'), at('snapshots', 'a', 'content', 'planted'))
      const whole = read(join(...MANIFEST))
      for (const folders of [['planted'], ['planted/.'], []]) {
        change((manifest) => {
          manifest.folders.push(...folders)
          manifest.files.push({ path: 'planted/000001.ldb', ...table })
        })
        await assert.rejects(stageSnapshot(folder, 'a'), { code: 'node/snapshot' })
        writeFileSync(at(...MANIFEST), whole)
      }
      writeFileSync(at('snapshots', 'a', 'content', 'l1', 'secret'), '12345')
      change(({ files }) => files.push({ path: 'l1/secret', ...table }))
      await assert.rejects(stageSnapshot(folder, 'a'), { code: 'node/snapshot', message: /l1\/secret is not what was saved/ })
    })

    it('cannot plant a link where a table is linked', async () => {
      const path = 'l1/000009.ldb'
      writeFileSync(at('elsewhere'), '12345')
      symlinkSync(at('elsewhere'), at('snapshots', 'a', 'content', path))
      change(({ files }) => files.push({ path, bytes: 5, isLinked: true, storedBytes: 0, sha256: null }))
      await assert.rejects(stageSnapshot(folder, 'a'), { code: 'node/snapshot', message: /000009\.ldb is not what was saved/ })
    })
  })

  it('are restored to the end at the next start when a crash interrupted the exchange of folders', async () => {
    await takeSnapshot(folder, 'a', TAKEN_MS)
    write('l1/state.json', '{"best_block_number":9}')
    write('sequencer/execution/chain/000001.log', 'block 9')
    await stageSnapshot(folder, 'a')
    // As after a crash between the removal of one folder and its replacement.
    writeFileSync(at('restoring', 'complete'), JSON.stringify(['clock.json', 'l1', 'sequencer']))
    rmSync(at('l1'), { recursive: true })
    await finishRestore(folder)
    assert.equal(read('l1/state.json'), '{"best_block_number":1}')
    assert.equal(read('sequencer/execution/chain/000001.log'), 'block 1')
    await finishRestore(folder)
    assert.equal(read('l1/state.json'), '{"best_block_number":1}', 'a second time changes nothing')
  })

  it('of 20 MiB of tables and 4 MiB of other files take less than 1 MiB, because tables are linked', async () => {
    const table = 'sequencer/execution/chain/000005.ldb'
    write(table, 'r'.repeat(20 * 1024 * 1024))
    utimesSync(at(table), TAKEN_MS / 1000 - 61, TAKEN_MS / 1000 - 61)
    write('index/pgdata/pg_wal/1', '\0'.repeat(4 * 1024 * 1024))
    const { bytes } = await takeSnapshot(folder, 'a', TAKEN_MS)
    assert.ok(bytes < 1024 * 1024, String(bytes))
    const inode = statSync(at(table)).ino
    assert.equal(statSync(at('snapshots', 'a', 'content', table)).ino, inode)
    // What LevelDB does with a table that a compaction replaced.
    rmSync(at(table))
    await stageSnapshot(folder, 'a')
    await restoreStaged(folder)
    assert.equal(statSync(at(table)).ino, inode)
    assert.equal(statSync(at('index/pgdata/pg_wal/1')).size, 4 * 1024 * 1024)
  })

  it('copy a table that is younger than a minute, because LevelDB may write it again', async () => {
    const table = 'sequencer/execution/chain/000005.ldb'
    write(table, 'unfinished')
    utimesSync(at(table), TAKEN_MS / 1000 - 59, TAKEN_MS / 1000 - 59)
    await takeSnapshot(folder, 'a', TAKEN_MS)
    writeFileSync(at(table), 'x')
    await stageSnapshot(folder, 'a')
    await restoreStaged(folder)
    assert.equal(read(table), 'unfinished')
  })

  it('are refused when a linked table lost its end', async () => {
    const table = 'sequencer/execution/chain/000005.ldb'
    write(table, 'a table')
    utimesSync(at(table), 1, 1)
    await takeSnapshot(folder, 'a', TAKEN_MS)
    writeFileSync(at(table), 'a')
    await assert.rejects(stageSnapshot(folder, 'a'), { code: 'node/snapshot', message: /000005\.ldb is not what was saved/ })
  })

  it('have the state that a running L1 dumped, and none of its older files', async () => {
    write('l1/state.whole.json', 'x')
    write('l1/cache/x', 'x')
    await takeSnapshot(folder, 'a', TAKEN_MS, gzipSync('{"best_block_number":5}'))
    await stageSnapshot(folder, 'a')
    await restoreStaged(folder)
    assert.equal(read('l1/state.json'), '{"best_block_number":5}')
    assert.deepEqual(readdirSync(at('l1')), ['state.json'])
  })

  it('say what is wrong with a name', async () => {
    for (const name of ['', '..', '../x', 'a/b', '.hidden', 'a'.repeat(65), 'a b', 7, undefined])
      await assert.rejects(takeSnapshot(folder, name as string, TAKEN_MS), { code: 'node/usage', message: /expected a name/ }, String(name))
    await takeSnapshot(folder, 'a', TAKEN_MS)
    await assert.rejects(takeSnapshot(folder, 'a', TAKEN_MS), { code: 'node/usage', message: /there is a snapshot "a" already/ })
    await assert.rejects(stageSnapshot(folder, 'b'), { code: 'node/usage', message: /there is no snapshot "b" of .*; there are a/ })
  })

  it('are not taken of an empty folder', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'keelson-snapshots-'))
    await assert.rejects(takeSnapshot(empty, 'a', TAKEN_MS), { code: 'node/usage', message: /there is no network/ })
    rmSync(empty, { recursive: true })
  })
})
