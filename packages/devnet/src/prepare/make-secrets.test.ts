import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadJwtSecret } from '@keelson/runtime'
import { DEVNET_KEY_FORMATS } from '../../../node/src/commands/devnet/key-formats.ts'
import { devnetPaths } from '../roles/devnet-paths.ts'
import { makeSecrets } from './make-secrets.ts'

describe('the secrets of a network', () => {
  it('are there before a role starts, so that a batcher faster than the execution client does not end for want of one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-secrets-'))
    try {
      const paths = devnetPaths(folder)
      await makeSecrets(paths, DEVNET_KEY_FORMATS)
      const files = [paths.sequencer, paths.validator].map((data) => join(data, 'jwt.hex'))
      const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
      assert.notEqual(texts[0], texts[1])
      for (const file of files) {
        assert.equal((await loadJwtSecret(file, { create: false })).warning, null)
        assert.equal((await stat(file)).mode & 0o777, 0o600)
      }
      await makeSecrets(paths, DEVNET_KEY_FORMATS)
      assert.deepEqual(await Promise.all(files.map((file) => readFile(file, 'utf8'))), texts, 'kept by the next start')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
