import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readOptions } from '../options.ts'
import { PLANTED_BUGS } from './planted-bugs.ts'

describe('planted bugs', () => {
  for (const { name, edits, options = [] } of PLANTED_BUGS) {
    it(`${name} changes places of the code as it is, and has options that exist`, () => {
      for (const { file, find, replace } of edits) {
        const source = readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8')
        assert.equal(source.split(find).length, 2, `${file} has it ${source.split(find).length - 1} times`)
        assert.notEqual(replace, find)
      }
      assert.notEqual(
        readOptions(['--seeds', '1..2', ...options], () => 1),
        null,
      )
    })
  }
})
