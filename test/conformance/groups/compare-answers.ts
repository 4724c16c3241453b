import assert from 'node:assert/strict'

export interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export function compareAnswers(got: Answer, expected: Answer, specOnly: boolean): void {
  if (expected.error !== undefined) {
    assert.ok(got.error !== undefined, `expected error ${expected.error.code} ${expected.error.message}, got ${JSON.stringify(got.result)}`)
    assert.equal(got.error.code, expected.error.code, got.error.message)
    if (!specOnly) assert.deepEqual(got.error.data, expected.error.data, got.error.message)
    return
  }
  assert.equal(got.error, undefined, `expected a result, got ${JSON.stringify(got.error)}`)
  const normal = [withoutOurs(got.result), withoutOurs(expected.result)] as const
  if (specOnly) assert.deepEqual(shapeOf(normal[0]), shapeOf(normal[1]))
  else assert.deepEqual(normal[0], normal[1])
}

/** Removes the total difficulty, which geth no longer returns. */
function withoutOurs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOurs)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'totalDifficulty')
      .map(([key, inner]) => [key, withoutOurs(inner)]),
  )
}

/** Members that the specification leaves to the node (eth_capabilities). */
const OPTIONAL_MEMBERS: ReadonlySet<string> = new Set(['deleteStrategy'])

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return distinct(value.map(shapeOf))
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(
    Object.keys(value)
      .filter((key) => !OPTIONAL_MEMBERS.has(key))
      .sort()
      .map((key) => [key, shapeOf((value as Record<string, unknown>)[key])]),
  )
}

function distinct(shapes: readonly unknown[]): readonly unknown[] {
  return [...new Map(shapes.map((shape) => [JSON.stringify(shape), shape]))].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, shape]) => shape)
}
