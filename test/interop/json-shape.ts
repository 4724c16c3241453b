export type Shape = ReadonlyMap<string, string>

export function shapeOf(value: unknown): Shape {
  const shape = new Map<string, string>()
  walk(value, '', shape)
  return shape
}

function walk(value: unknown, path: string, shape: Map<string, string>): void {
  if (Array.isArray(value)) {
    shape.set(path, 'array')
    if (value.length > 0) walk(value[0], `${path}[]`, shape)
    return
  }
  if (typeof value === 'object' && value !== null) {
    shape.set(path, 'object')
    for (const [key, inner] of Object.entries(value)) walk(inner, path === '' ? key : `${path}.${key}`, shape)
    return
  }
  shape.set(path, value === null ? 'null' : typeof value)
}

export interface ShapeDifferences {
  readonly lacking: readonly string[]
  readonly added: readonly string[]
}

export function compareShapes(theirs: Shape, ours: Shape): ShapeDifferences {
  const lacking: string[] = []
  for (const [path, kind] of theirs) {
    const own = ours.get(path)
    if (own === undefined) lacking.push(path)
    else if (own !== kind && own !== 'null' && kind !== 'null') lacking.push(`${path} (${own}, theirs ${kind})`)
  }
  return { lacking, added: [...ours.keys()].filter((path) => !theirs.has(path)) }
}
