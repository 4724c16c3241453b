import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ModuleStore } from './module-store.ts'

const MODULE = { bytes: Uint8Array.of(1, 2, 3, 4), jumpTableBytes: 8 }

describe('stored modules', () => {
  let directory: string
  let warnings: string[]
  const open = (version = 'one', maxBytes?: number) => new ModuleStore(directory, version, (message) => warnings.push(message), maxBytes)
  const file = (name: string) => join(directory, 'one', `${name}.kwm`)

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'module-store-'))
    warnings = []
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('are read again after a restart', () => {
    open().write('a', MODULE)
    const read = open().read('a')
    assert.deepEqual(read && { ...read, bytes: Uint8Array.from(read.bytes) }, MODULE)
    assert.equal(open().read('b'), null)
    assert.deepEqual(warnings, [])
  })

  it('of another version are deleted', () => {
    open().write('a', MODULE)
    assert.equal(open('two').read('a'), null)
    assert.deepEqual(readdirSync(directory), ['two'])
  })

  it('that were damaged are deleted with one warning', () => {
    open().write('a', MODULE)
    for (const damage of [
      (content: Buffer) => content.subarray(0, content.length - 1),
      (content: Buffer) => Buffer.concat([content.subarray(0, 40), Buffer.of(9)]),
      () => Buffer.alloc(0),
    ]) {
      open().write('a', MODULE)
      writeFileSync(file('a'), damage(readFileSync(file('a'))))
      warnings = []
      const store = open()
      assert.equal(store.read('a'), null)
      assert.equal(store.read('a'), null)
      assert.equal(warnings.length, 1)
    }
  })

  it('stay within the size, and the one used longest ago goes first', () => {
    const store = open('one', 3 * 40)
    for (const name of ['a', 'b', 'c']) store.write(name, MODULE)
    store.read('a')
    store.write('d', MODULE)
    assert.deepEqual(readdirSync(join(directory, 'one')).sort(), ['a.kwm', 'c.kwm', 'd.kwm'])
  })

  it('warns when the folder cannot be written', () => {
    const store = open()
    mkdirSync(`${file('a')}.new`)
    store.write('a', MODULE)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] as string, /was not stored/)
  })
})
