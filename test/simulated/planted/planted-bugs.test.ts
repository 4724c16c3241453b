import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PLANTED_BUGS } from './planted-bugs.ts'

describe('planted bugs', () => {
  for (const { name, file, find, replace } of PLANTED_BUGS) {
    it(`${name} changes one place of the code as it is`, () => {
      const source = readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8')
      assert.equal(source.split(find).length, 2, `${file} has it ${source.split(find).length - 1} times`)
      assert.notEqual(replace, find)
    })
  }
})
