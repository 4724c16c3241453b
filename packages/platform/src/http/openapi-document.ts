type Json = Readonly<Record<string, unknown>>

const REF = /"#\/components\/schemas\/(\w+)"/g
const INPUT = /Input$/

export function orderDocument(document: Json): Json {
  const { paths = {}, components = {} } = document as { readonly paths?: Json; readonly components?: Json }
  const schemas = (components.schemas ?? {}) as Readonly<Record<string, Json>>
  const used = new Set(refsIn(paths))
  for (const name of used) for (const inner of refsIn(schemas[name])) used.add(inner)
  const nameOf = (name: string) => {
    const plain = name.replace(INPUT, '')
    const twin = `${plain}Input`
    // a schema whose request and response forms differ keeps both
    const differs = used.has(plain) && used.has(twin) && !isSame(schemas[plain], schemas[twin])
    return plain in schemas && !differs ? plain : name
  }
  const kept = [...used].sort().map((name) => [nameOf(name), renamed(schemas[name], nameOf)])
  return { ...document, paths: renamed(paths, nameOf), components: { ...components, schemas: Object.fromEntries(kept) } }
}

function refsIn(value: unknown): readonly string[] {
  return [...(JSON.stringify(value) ?? '').matchAll(REF)].map(([, name = '']) => name)
}

function renamed(value: unknown, nameOf: (name: string) => string): unknown {
  return JSON.parse(JSON.stringify(value).replace(REF, (_, name: string) => `"#/components/schemas/${nameOf(name)}"`))
}

function isSame(one: unknown, other: unknown): boolean {
  const plain = (value: unknown) => JSON.stringify(renamed(value, (name) => name.replace(INPUT, '')))
  return plain(one) === plain(other)
}
