import assert from 'node:assert/strict'
import { programName } from './as-called.ts'

describe('commands in hints', () => {
  it('use npx in a checkout and in a project, where keelson is not on PATH', () => {
    for (const script of ['/home/ann/keelson/dist/keelson.js', '/home/ann/project/node_modules/.bin/keelson', ''])
      assert.equal(programName(script), 'npx keelson', script)
  })

  it('name an installed program by its own name', () => {
    assert.equal(programName('/usr/local/bin/keelson'), 'keelson')
  })
})
