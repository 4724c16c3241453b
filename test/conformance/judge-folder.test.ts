import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findFolderProblems } from './folder-problems.ts'
import { GROUPS } from './groups/index.ts'
import type { LoadedGroup } from './tally.ts'
import { listFiles } from './vectors/list-files.ts'
import { readManifest } from './vectors/manifest.ts'
import { type LeftOut, VectorFolder } from './vectors/vector-folder.ts'

const word = (value: number) => value.toString(16).padStart(64, '0')
const ADDITION = JSON.stringify([{ X: word(3), Y: word(2), Expected: word(5) }])
const IDENTITY = JSON.stringify([{ Name: 'one byte', Input: '01', Expected: '01', Gas: 18 }])
const RLP = JSON.stringify({ ofToday: { in: ['dog', 5], out: '0xc583646f6705' }, broken: { in: 'INVALID', out: '0x8101' } })

type Files = Readonly<Record<string, string>>

const FOLDER: Files = {
  'README.md': 'Vectors of today.',
  LICENSE: 'None.',
  'evm-ops/README.md': 'Additions.',
  'evm-ops/testcases_add.json': ADDITION,
  'precompiles/identity.json': IDENTITY,
  'ethereum-tests/RLPTests/ofToday.json': RLP,
}

interface Judgement {
  readonly ids: readonly string[]
  readonly failed: readonly string[]
  readonly problems: readonly string[]
  readonly leftOut: readonly LeftOut[]
}

describe('the conformance runner on an unknown folder of vectors', () => {
  const root = mkdtempSync(join(tmpdir(), 'keelson-vectors-'))
  after(() => rmSync(root, { recursive: true, force: true }))
  let count = 0

  function write(files: Files): string {
    const folder = join(root, String(count++))
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), content)
    }
    return folder
  }

  async function judge(files: Files, only?: readonly string[]): Promise<Judgement> {
    const folder = write(files)
    const listing = listFiles(folder)
    const manifest = readManifest(folder)
    const groups = GROUPS.filter(({ name }) => only === undefined || only.includes(name))
    const loaded: LoadedGroup[] = []
    const [ids, failed, problems, leftOut] = [[] as string[], [] as string[], [] as string[], [] as LeftOut[]]
    for (const group of groups) {
      const view = new VectorFolder(folder, listing.paths)
      const cases = await group.load(view)
      loaded.push({ name: group.name, cases: cases.length, taken: view.taken })
      leftOut.push(...view.leftOut)
      problems.push(...view.problems.map(({ path, message }) => `${path}: ${message}`))
      for (const { id, run } of cases) {
        ids.push(`${group.name}: ${id}`)
        await Promise.resolve()
          .then(run)
          .catch((error: Error) => failed.push(`${group.name}: ${id}: ${error.message}`))
      }
    }
    const names = groups.map(({ name }) => name)
    const ofFolder = findFolderProblems({ root: folder, listing, manifest }, GROUPS, names, loaded)
    return { ids, failed, problems: [...problems, ...ofFolder.map(({ path, message }) => `${path}: ${message}`)], leftOut }
  }

  it('judges the content of files with any name and number', async () => {
    assert.deepEqual(await judge(FOLDER), {
      ids: [
        'rlp-tests: RLPTests/ofToday/ofToday',
        'rlp-tests: RLPTests/ofToday/broken',
        'precompiles: identity/0/one byte',
        'evm-ops: add/0',
      ],
      failed: [],
      problems: [],
      leftOut: [],
    })
  })

  it('fails for an unknown group and for files that no group reads', async () => {
    const { problems } = await judge({
      ...FOLDER,
      'evm-opcodes/testcases_add.json': ADDITION,
      'evm-ops/testcases_keccak.json': ADDITION,
      'evm-ops/notes.txt': 'three',
      'ethereum-tests/new/format.json': '{"x":{"y":1}}',
      'vectors.csv': '1,2',
    })
    assert.deepEqual(problems, [
      'evm-ops/testcases_keccak.json: cannot be read: no opcode is known for a file of this name',
      'ethereum-tests/new/format.json: not read by any group',
      'evm-opcodes: an unknown group: none of its 1 files has been read',
      'evm-ops/notes.txt: not read by any group',
      'vectors.csv: not read by any group',
    ])
  })

  it('fails for a truncated file and for one without cases, and judges the others', async () => {
    const { ids, problems } = await judge({
      ...FOLDER,
      'evm-ops/testcases_mul.json': ADDITION.slice(0, -5),
      'evm-ops/testcases_sub.json': '[]',
      'ethereum-tests/RLPTests/cut.json': RLP.slice(0, -4),
      'ethereum-tests/cut.tar.gz': 'not an archive',
    })
    assert.equal(ids.length, 4)
    assert.deepEqual(
      problems.map((problem) => problem.split(':').slice(0, 2).join(':')),
      [
        'ethereum-tests/RLPTests/cut.json: cannot be read',
        'evm-ops/testcases_mul.json: cannot be read',
        'evm-ops/testcases_sub.json: no cases in this file',
        'ethereum-tests/cut.tar.gz: cannot be unpacked',
      ],
    )
  })

  it('fails for a group without cases', async () => {
    const { 'evm-ops/testcases_add.json': _, ...rest } = FOLDER
    assert.deepEqual((await judge(rest)).problems, ['evm-ops: the folder of this group has no cases'])
  })

  it('fails for a missing group that the README names', async () => {
    const readme = '# Vectors\n\n| group | files |\n| --- | --- |\n| evm-ops, kzg | 2 |\n\n| group | other |\n'
    assert.deepEqual((await judge({ ...FOLDER, 'README.md': readme })).problems, [
      'kzg: the README names this group, but the folder has no vectors of it',
    ])
  })

  it('checks the folder against its manifest', async () => {
    const sha256 = createHash('sha256').update(ADDITION).digest('hex')
    const files = { 'evm-ops/testcases_add.json': sha256, 'precompiles/identity.json': null, 'ethereum-tests/RLPTests/ofToday.json': null }
    const promised = { files, cases: { 'evm-ops': 1, 'rlp-tests': 2 } }
    const judgeWith = async (manifest: object, more: Files = {}) =>
      (await judge({ ...FOLDER, ...more, 'manifest.json': JSON.stringify(manifest) })).problems
    assert.deepEqual(await judgeWith(promised), [])
    assert.deepEqual(await judgeWith({ ...promised, cases: { 'evm-ops': 2 } }), ['evm-ops: the manifest promises 2 cases, found 1'])
    assert.deepEqual(await judgeWith({ files: { ...files, 'kzg/a.json': null } }), [
      'kzg/a.json: manifest.json names this file, but the folder does not have it',
    ])
    assert.deepEqual(await judgeWith(promised, { 'evm-ops/testcases_add.json': `${ADDITION} ` }), [
      'evm-ops/testcases_add.json: its SHA-256 is not the one in manifest.json',
    ])
    await assert.rejects(judgeWith({ count: 5 }), /expected "files" and "cases", got "count"/)
  })

  it('reports only files that the chosen groups leave unread', async () => {
    const { problems } = await judge({ ...FOLDER, 'evm-ops/notes.txt': 'x', 'strange/a.json': '{}', 'kzg/a.json': '{}' }, [
      'evm-ops',
      'rlp-tests',
    ])
    assert.deepEqual(problems, ['evm-ops/notes.txt: not read by any group'])
  })

  it('skips tests of a precompile whose address has another function today', async () => {
    const test = (address: string) => ({
      pre: {},
      env: {},
      transaction: { data: [`0x12bd4299${address.padStart(64, '0')}`] },
      post: { Prague: [{ hash: '0x', logs: '0x', txbytes: '0x', indexes: { data: 0, gas: 0, value: 0 } }] },
    })
    const { ids, leftOut } = await judge({ 'ethereum-tests/stEIP2537/a.json': JSON.stringify({ g1: test('c'), pairing: test('11') }) })
    assert.deepEqual(ids, ['state-tests-eip2537: stEIP2537/a/g1/Prague/0-0-0'])
    assert.deepEqual(
      leftOut.map(({ cases }) => cases),
      [1],
    )
  })
})
