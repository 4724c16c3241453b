import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ViolationBundle } from '@keelson/consensus'
import { ZERO_L1_REF, ZERO_L2_REF } from '@keelson/primitives'
import { createViolationWriter } from './violation-writer.ts'

const heads = { unsafe: ZERO_L2_REF, pendingSafe: ZERO_L2_REF, safe: ZERO_L2_REF, finalized: ZERO_L2_REF }
const bundle: ViolationBundle = {
  name: 'heads-in-order',
  message: 'the safe head 5 is above the unsafe head 4',
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  version: '1.2.3',
  configHash: '0x12',
  rollupConfig: { block_time: 2 },
  move: { kind: 'confirmed' },
  before: null,
  after: heads,
  l1: { head: ZERO_L1_REF, safe: null, finalized: null, derivation: null },
  trace: [
    { atMs: 1, what: 'input l1-head', fields: { number: 7 } },
    { atMs: 2, what: 'newPayload', fields: { status: 'VALID' } },
  ],
}

describe('writing down a broken invariant', () => {
  let directory: string

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'violations-'))
  })
  afterEach(() => rm(directory, { recursive: true }))

  it('makes a directory of its own that says what, when, and how to look at it', async () => {
    const path = await createViolationWriter(join(directory, 'violations')).write(bundle)
    assert.equal(path, join(directory, 'violations', '2026-01-02T03-04-05-678Z-heads-in-order'))
    assert.deepEqual((await readdir(path)).sort(), ['README', 'heads.json', 'l1.json', 'rollup.json', 'trace.jsonl', 'violation.json'])
    const read = (name: string) => readFile(join(path, name), 'utf8')
    assert.equal(JSON.parse(await read('violation.json')).configHash, '0x12')
    assert.equal(JSON.parse(await read('heads.json')).after.unsafe.number, 0)
    assert.deepEqual(
      (await read('trace.jsonl'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).what),
      ['input l1-head', 'newPayload'],
    )
    assert.match(await read('README'), /the safe head 5 is above[\s\S]*tail -n 40 trace.jsonl/)
  })

  it('is readable by its owner only, and limited in size whatever the input', async () => {
    const long = { atMs: 1, what: 'input reset', fields: { reason: 'x'.repeat(100_000) } }
    const path = await createViolationWriter(join(directory, 'violations')).write({ ...bundle, trace: Array(600).fill(long) })
    for (const folder of [join(directory, 'violations'), path]) assert.equal((await stat(folder)).mode & 0o777, 0o700)
    for (const name of await readdir(path)) {
      const { mode, size } = await stat(join(path, name))
      assert.equal(mode & 0o777, 0o600, name)
      assert.ok(size <= 2 ** 20, `${name}: ${size} bytes`)
    }
  })

  it('a link planted in place of its directory or of a bundle is not followed', async () => {
    const elsewhere = join(directory, 'elsewhere')
    await mkdir(elsewhere)
    const violations = join(directory, 'violations')
    await symlink(elsewhere, violations)
    await assert.rejects(createViolationWriter(violations).write(bundle), /is a link or a file/)
    await rm(violations)
    await mkdir(violations)
    await symlink(elsewhere, join(violations, '2026-01-02T03-04-05-678Z-heads-in-order'))
    await assert.rejects(createViolationWriter(violations).write(bundle), { code: 'EEXIST' })
    assert.deepEqual(await readdir(elsewhere), [])
  })

  it('keeps the newest twenty', async () => {
    const writer = createViolationWriter(directory)
    for (let i = 0; i < 23; i++) await writer.write({ ...bundle, atMs: bundle.atMs + i * 1000 })
    const names = (await readdir(directory)).sort()
    assert.equal(names.length, 20)
    assert.match(names[0] ?? '', /03-04-08-678Z/)
  })
})
