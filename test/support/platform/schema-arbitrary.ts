import fc from 'fast-check'
import type { ApiDescription, Json } from './api-description.ts'

const MAX_DEPTH = 6
const MAX_ITEMS = 4
const SOME_TEXT = 24

export function arbitraryOf(schema: Json, api: Pick<ApiDescription, 'resolve'>, depth = 0): fc.Arbitrary<unknown> {
  const known = api.resolve(schema)
  const inner = (of: Json) => arbitraryOf(of, api, depth + 1)
  if (known.const !== undefined) return fc.constant(known.const)
  if (known.enum !== undefined) return fc.constantFrom(...known.enum)
  const alternatives = (known.anyOf ?? known.oneOf) as readonly Json[] | undefined
  if (alternatives !== undefined) return fc.oneof(...alternatives.map(inner))
  if (Array.isArray(known.type)) return fc.oneof(...known.type.map((type: string) => inner({ ...known, type })))
  switch (known.type) {
    case 'string':
      return texts(known)
    case 'integer':
      return fc.integer({ min: Math.max(known.minimum ?? -1_000, -(2 ** 31)), max: Math.min(known.maximum ?? 1_000_000, 2 ** 31 - 1) })
    case 'number':
      return fc.double({ min: known.minimum ?? -1e6, max: known.maximum ?? 1e9, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return depth > MAX_DEPTH
        ? fc.constant([])
        : fc.array(inner(known.items ?? {}), {
            minLength: known.minItems ?? 0,
            maxLength: Math.min(known.maxItems ?? MAX_ITEMS, MAX_ITEMS),
          })
    case 'object':
      return depth > MAX_DEPTH ? fc.constant({}) : objects(known, inner)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function texts({ pattern, format, minLength = 0, maxLength = SOME_TEXT, example }: Json): fc.Arbitrary<string> {
  const length = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, SOME_TEXT)) }
  const free = fc.string({ ...length, unit: 'grapheme' })
  const likely = example === undefined ? [] : [fc.constant(String(example))]
  if (format === 'email') return fc.emailAddress()
  if (format === 'date-time')
    return fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString())
  if (pattern !== undefined) return fc.oneof(fc.stringMatching(new RegExp(pattern)), ...likely)
  return fc.oneof(free, ...likely)
}

function objects({ properties = {}, required = [], additionalProperties }: Json, inner: (of: Json) => fc.Arbitrary<unknown>) {
  const named = Object.entries(properties as Json)
  if (named.length === 0 && typeof additionalProperties === 'object')
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), inner(additionalProperties), { maxKeys: MAX_ITEMS })
  const record = Object.fromEntries(named.map(([name, schema]) => [name, inner(schema as Json)]))
  return fc.record(record, { requiredKeys: required })
}

const JUNK: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -1e308, Number.MAX_SAFE_INTEGER, 2 ** 53, 2 ** 63, [], {}, [[]], [null], { a: { b: {} } }],
  ...['', ' ', '0', '-1', '1e999', 'NaN', 'null', '\u0000', '\ud800', '‮', '💥', '%00', "' or 1=1 --", '{{7*7}}', '../../etc/passwd'],
  ...['0x', `0x${'0'.repeat(40)}`, `0x${'f'.repeat(64)}`, '0'.repeat(100), 'x'.repeat(5_000), '2026-02-30T25:61:61Z', 'ETH/USD', 'devnet'],
]
const JUNK_KEYS = ['__proto__', 'constructor', 'toString', '', 'hasOwnProperty', 'no_such_field', '\u0000']

export interface Mutation {
  readonly place: number
  readonly kind: 'replace' | 'remove' | 'add' | 'repeat'
  readonly junk: unknown
  readonly key: string
}

export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    place: fc.nat(1_000),
    kind: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
    junk: fc.constantFrom(...JUNK),
    key: fc.constantFrom(...JUNK_KEYS),
  }),
  { maxLength: 3 },
)

export function mutate(value: unknown, changes: readonly Mutation[]): unknown {
  return changes.reduce<unknown>((at, change) => {
    const places = placesIn(at)
    return applyAt(at, places[change.place % places.length] ?? [], change)
  }, value)
}

function placesIn(value: unknown, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, Array.isArray(value) ? Number(key) : key]))]
}

function applyAt(value: unknown, [step, ...rest]: readonly (string | number)[], change: Mutation): unknown {
  if (step === undefined) return changed(value, change)
  const removes = rest.length === 0 && change.kind === 'remove'
  if (Array.isArray(value)) {
    if (removes) return value.filter((_, i) => i !== step)
    return value.map((item, i) => (i === step ? applyAt(item, rest, change) : item))
  }
  const entries = Object.entries(value as Json).filter(([key]) => !(removes && key === step))
  return fromEntries(entries.map(([key, item]) => [key, key === step ? applyAt(item, rest, change) : item]))
}

function changed(value: unknown, { kind, junk, key }: Mutation): unknown {
  if (kind === 'repeat') return Array.isArray(value) ? [...value, ...value, ...value] : [value, value]
  if (kind === 'add' && typeof value === 'object' && value !== null && !Array.isArray(value))
    return fromEntries([...Object.entries(value), [key, junk]])
  return junk
}

/** Supports `__proto__` as an own key. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): Json {
  const object: Json = {}
  for (const [key, value] of entries) Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  return object
}
