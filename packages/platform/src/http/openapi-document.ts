/** Post-processes the generated description: merges equal request and response schemas, drops unused ones, and adds the headers of answers. */
type Json = Readonly<Record<string, unknown>>

const REF = '#/components/schemas/'
const INPUT = 'Input'

/** Operation key that carries the descriptions of a route's own headers until `orderDocument` moves them to status 200. */
export const ANSWER_HEADERS = 'x-answer-headers'

const HEADERS: Readonly<Record<string, Json>> = {
  'RateLimit-Limit': { description: 'Requests allowed per window', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Requests allowed now', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the whole limit is available again', schema: { type: 'integer' } },
  'RateLimit-Policy': { description: 'Requests per window, and the window in seconds', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before a retry', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'Authentication scheme', schema: { type: 'string' } },
}
const RATE_LIMIT = Object.keys(HEADERS).filter((name) => name.startsWith('RateLimit-'))
const RETRY = 'Retry-After'
const HEADERS_OF: Readonly<Record<string, readonly string[]>> = {
  200: RATE_LIMIT,
  401: ['WWW-Authenticate'],
  429: [RETRY, ...RATE_LIMIT],
  503: [RETRY],
}

/** Takes a document of @fastify/swagger, in which each component `Name` has a twin `NameInput`, and returns a copy. */
export function orderDocument(document: Json): Json {
  const { paths = {}, components = {} } = document as { readonly paths?: Json; readonly components?: Json }
  const schemas = (components.schemas ?? {}) as Readonly<Record<string, Json>>
  const used = reachable(paths, schemas)
  const nameOf = (name: string) => {
    const plain = name.endsWith(INPUT) ? name.slice(0, -INPUT.length) : name
    // a schema with different request and response forms keeps both
    const differs = used.has(plain) && used.has(`${plain}${INPUT}`) && !sameSchema(schemas[plain], schemas[`${plain}${INPUT}`])
    return plain in schemas && !differs ? plain : name
  }
  const renamed = (value: unknown) => mapRefs(value, nameOf)
  const kept = [...used].sort().map((name) => [nameOf(name), renamed(schemas[name])] as const)
  const merged = { ...components, schemas: Object.fromEntries(kept), headers: HEADERS }
  return { ...document, paths: withHeaders(renamed(paths) as Json), components: merged }
}

function reachable(from: unknown, schemas: Readonly<Record<string, Json>>): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (value: unknown) =>
    mapRefs(value, (name) => {
      if (!found.has(name)) {
        found.add(name)
        visit(schemas[name])
      }
      return name
    })
  visit(from)
  return found
}

/** Compares schemas as if each `NameInput` were `Name`. */
function sameSchema(one: unknown, other: unknown): boolean {
  const plain = (value: unknown) => JSON.stringify(mapRefs(value, (name) => (name.endsWith(INPUT) ? name.slice(0, -INPUT.length) : name)))
  return plain(one) === plain(other)
}

function mapRefs(value: unknown, nameOf: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapRefs(item, nameOf))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) =>
    key === '$ref' && typeof item === 'string' && item.startsWith(REF)
      ? [key, REF + nameOf(item.slice(REF.length))]
      : [key, mapRefs(item, nameOf)],
  )
  return Object.fromEntries(entries)
}

function withHeaders(paths: Json): Json {
  const answer = (status: string, response: Json, ofRoute: Json) => {
    const names = HEADERS_OF[status]
    if (names === undefined) return response
    const shared = names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const)
    const own = status === '200' ? mapValues(ofRoute, (description) => ({ description, schema: { type: 'string' } })) : {}
    return { ...response, headers: { ...own, ...Object.fromEntries(shared) } }
  }
  const operation = ({ [ANSWER_HEADERS]: ofRoute = {}, ...given }: Json) => ({
    ...given,
    responses: mapValues((given.responses ?? {}) as Json, (response, status) => answer(status, response as Json, ofRoute as Json)),
  })
  return mapValues(paths, (item) => mapValues(item as Json, (given) => operation(given as Json)))
}

function mapValues(of: Json, change: (value: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value, key)]))
}
