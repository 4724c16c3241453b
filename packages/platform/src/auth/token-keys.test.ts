import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemRandom } from '@keelson/runtime'
import { PlatformError } from '../platform-error.ts'
import { loadTokenKeys, parseTokenKeys } from './token-keys.ts'

const KEY = 'ab'.repeat(32)

describe('token keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-token-keys-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const refused = (error: unknown) => error instanceof PlatformError && error.code === 'platform/token-keys' && !error.message.includes(KEY)

  it('are created once, readable by their owner only', async () => {
    const path = join(folder, 'inner', 'token-keys')
    const [made] = await loadTokenKeys(path, createSystemRandom())
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const [found] = await loadTokenKeys(path, createSystemRandom())
    assert.deepEqual([found.kid, found.secret.reveal()], [made.kid, made.secret.reveal()])
    assert.match(readFileSync(path, 'utf8'), /^[0-9a-f]{8}:[0-9a-f]{64}\n$/)
    chmodSync(path, 0o644)
    await assert.rejects(loadTokenKeys(path, createSystemRandom()), refused)
  })

  it('are parsed from text, the signing key first', () => {
    assert.deepEqual(
      parseTokenKeys(`# since March\nnew:${KEY}\nold:0x${'cd'.repeat(32)}`, 'here').map(({ kid }) => kid),
      ['new', 'old'],
    )
    assert.equal(parseTokenKeys(`a:${KEY},b:${KEY}`, 'here').length, 2)
    for (const text of ['', KEY, `a:${KEY.slice(2)}`, `a b:${KEY}`, `a:${KEY},a:${KEY}`])
      assert.throws(() => parseTokenKeys(text, 'here'), refused)
  })
})
