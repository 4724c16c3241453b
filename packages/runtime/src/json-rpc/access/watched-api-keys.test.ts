import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock } from '../../clock.ts'
import { createLogger } from '../../log.ts'
import { apiKeyDigest } from './api-keys.ts'
import { KEYS_FILE_INTERVAL_MS, openApiKeys } from './watched-api-keys.ts'

const clock = createManualClock()
const lines: string[] = []
const log = createLogger({ clock, format: 'human', sink: { terminal: false, write: (line) => lines.push(line) } })
const fileOf = (...names: string[]) =>
  JSON.stringify({ keys: names.map((name) => ({ name, tier: 'developer', sha256: apiKeyDigest(`secret-${name}`) })) })

describe('the keys file', () => {
  let folder: string
  let path: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-keys-'))
    path = join(folder, 'keys.json')
    lines.length = 0
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('prevents the start when it is missing or wrong, with the mistakes', async () => {
    await assert.rejects(openApiKeys(path, { clock, log }), { code: 'runtime/api-keys', message: /keys\.json cannot be read: ENOENT/ })
    await writeFile(path, '{"keys": 1}')
    await assert.rejects(openApiKeys(path, { clock, log }), { code: 'runtime/api-keys', message: `${path}: keys: expected a list` })
    await writeFile(path, '{"keys": [{}], "more": 1}')
    await assert.rejects(openApiKeys(path, { clock, log }), { message: /has 2 mistakes:\n {2}- more: unknown.*\n {2}- keys\[0\]\.name/ })
  })

  it('is reloaded when it changes, and an invalid one leaves the previous keys in force', async () => {
    await writeFile(path, fileOf('a'))
    const keys = await openApiKeys(path, { clock, log })
    assert.equal(keys.current.find('secret-a')?.name, 'a')
    await keys.refresh()
    assert.deepEqual(lines, [])
    await writeFile(path, fileOf('a', 'b'))
    await keys.refresh()
    assert.equal(keys.current.find('secret-b')?.name, 'b')
    assert.match(String(lines[0]), /reloaded the keys file.*keys=2/)
    await writeFile(path, '{"keys": [')
    await keys.refresh()
    await keys.refresh()
    assert.equal(keys.current.count, 2)
    assert.equal(lines.length, 2)
    assert.match(String(lines[1]), /cannot be used: the previous keys remain in force.*the text ends too early/s)
    await rm(path)
    await keys.refresh()
    assert.equal(keys.current.count, 2)
    await writeFile(path, fileOf())
    await keys.refresh()
    assert.equal(keys.current.count, 0)
    assert.equal(lines.length, 3)
    await writeFile(path, 'no')
    await keys.refresh()
    await writeFile(path, fileOf('c'))
    await keys.refresh()
    assert.equal(keys.current.find('secret-c')?.name, 'c')
  })

  it('is checked every few seconds while the node runs', async () => {
    await writeFile(path, fileOf('a'))
    const keys = await openApiKeys(path, { clock, log })
    const stopping = new AbortController()
    await keys.start(stopping.signal)
    await writeFile(path, fileOf('a', 'b'))
    await clock.advance(KEYS_FILE_INTERVAL_MS)
    while (keys.current.count === 1) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(keys.current.count, 2)
    stopping.abort()
    await keys.stop()
  })
})
