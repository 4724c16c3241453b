import assert from 'node:assert/strict'
import fc from 'fast-check'
import { jsonShapeOf } from './json-shape.ts'

const ANY = { structure: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY }

function structureOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const parts = Array.isArray(value) ? value : Object.values(value)
  const colons = Array.isArray(value) ? 0 : parts.length
  return 1 + colons + Math.max(0, parts.length - 1) + parts.reduce<number>((sum, part) => sum + structureOf(part), 0)
}

function depthOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
}

describe('the shape of a JSON text', () => {
  it('matches the value that it encodes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.integer({ min: 0, max: 2 }), (value, indent) => {
        const shape = jsonShapeOf(` \n${JSON.stringify(value, null, indent)}`, ANY)
        assert.equal(shape.structure, structureOf(value))
        assert.equal(shape.depth, depthOf(value))
        assert.equal(shape.items, Array.isArray(value) ? value.length : null)
      }),
    )
  })

  it('ignores the content of strings, however they are escaped', () => {
    for (const text of ['[,]{:}', '"', '\\', '\\"', '\\\\",', 'é,\u{1f600}[']) {
      const { structure, items } = jsonShapeOf(JSON.stringify([text, { [text]: text }]), ANY)
      assert.deepEqual([structure, items], [4, 2], text)
    }
  })

  it('finds the end of the first element', () => {
    const first = (text: string) => text.slice(1, jsonShapeOf(text, ANY).firstItemEnd)
    assert.equal(first('[{"id":[1,2]},3]'), '{"id":[1,2]}')
    assert.equal(first('[7]'), '7')
    assert.equal(first('["a,b]",1]'), '"a,b]"')
  })

  it('stops at a limit, and at the end of a truncated text', () => {
    const nested = '['.repeat(1_000)
    assert.equal(jsonShapeOf(nested, { ...ANY, depth: 64 }).exceeded, 'depth')
    assert.equal(jsonShapeOf(nested, { ...ANY, depth: 64 }).depth, 65)
    const wide = `[${'1,'.repeat(1_000)}`
    assert.deepEqual([jsonShapeOf(wide, { ...ANY, structure: 500 }).structure, jsonShapeOf(wide, ANY).structure], [501, 1_001])
    for (const text of ['', '   ', '"', '"\\', '[', '[ ', ']', '}}}', '{"a']) assert.equal(jsonShapeOf(text, ANY).exceeded, null, text)
  })
})
