import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseFlags, resolveOptions } from '@keelson/runtime'
import { findSubcommand } from '../../command.ts'
import { validatorCommand } from './validator.ts'

const README = readFileSync(new URL('../../../../../README.md', import.meta.url), 'utf8')
const [, section = ''] = /## Stake and attest\n([\s\S]*?)\n## /.exec(README) ?? []
const blocks = [...section.matchAll(/```\n([\s\S]*?)```/g)].map(([, block]) => block as string)

describe('the walk of the README through a validator', () => {
  it('can be pasted into a shell', () => {
    assert.ok(blocks.length >= 2)
    for (const block of blocks) {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: block, encoding: 'utf8' })
      assert.equal(status, 0, stderr)
    }
  })

  it('leaves its password and keys where git ignores them', () => {
    const ignored = readFileSync(new URL('../../../../../.gitignore', import.meta.url), 'utf8').split('\n')
    const folders = ignored.flatMap((line) => /^\/?([\w.-]+)\/$/.exec(line)?.[1] ?? [])
    const written = [...section.matchAll(/(?:--data-dir|--password-file|>) *([\w./-]+)/g)].map(([, path]) => path as string)
    assert.ok(written.length >= 8)
    for (const path of written) assert.ok(folders.includes(path.split('/')[0] as string), `git does not ignore ${path}`)
  })

  it('gives every command what it needs, and nothing it does not know', async () => {
    const lines = blocks.join('').replaceAll('\\\n', ' ').split('\n')
    let checked = 0
    for (const line of lines) {
      const [, given] = /keelson(?:\.js)? validator ([^#>&]*)/.exec(line) ?? []
      if (given === undefined) continue
      checked++
      const found = await findSubcommand(validatorCommand, given.trim().split(/\s+/))
      assert.ok('command' in found, line)
      const { flags } = parseFlags(found.rest, found.command.options)
      resolveOptions(found.command.options, { env: { KEELSON_PRIVATE_KEY: `0x${'11'.repeat(32)}` }, flags })
    }
    assert.equal(checked, 8)
  })
})
