import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { FAULT_KINDS, readScenario } from '@keelson/simulator'

const README = readFileSync(fileURLToPath(new URL('../../packages/simulator/README.md', import.meta.url)), 'utf8')
const rows = README.split('\n').filter((line) => line.startsWith('| `'))

describe('the README of the simulator', () => {
  for (const { name, parameters } of FAULT_KINDS) {
    it(`has the kind ${name} and its parameters`, () => {
      const row = rows.find((line) => line.split('|')[1]?.includes(`\`${name}\``))
      assert.ok(row, 'no row of the table of faults')
      for (const parameter of Object.keys(parameters)) assert.ok(row.includes(`\`${parameter}\``), `${parameter} is not in its row`)
    })
  }

  it('has a schedule that can be run', () => {
    const [, schedule] = /```\n(\{ "seed"[\s\S]*?)```/.exec(README) ?? []
    assert.equal(readScenario(schedule ?? '').faults.length, 1)
  })
})
