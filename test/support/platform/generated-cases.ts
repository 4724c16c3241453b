import assert from 'node:assert/strict'
import type { ApiDescription, Json, Operation } from './api-description.ts'
import type { Answer, AskOptions } from './ask.ts'
import type { OperationContract, Status } from './contract-case.ts'
import type { ContractWorld, Tokens } from './contract-world.ts'
import { SECRET_OF_FAILURE } from './weak-database.ts'

export interface GeneratedCase {
  readonly status: Status
  readonly name: string
  run(world: ContractWorld): Promise<Answer>
}

const TOO_LARGE = 'a'.repeat(10 * 1024 * 1024 + 1)
const NOT_UTF8 = Uint8Array.of(0xff)
const TOO_LONG = 'a'.repeat(17_000)
const OPEN_STREAM = 'text/event-stream'

export function tokenFor({ tokens }: Operation, from: Tokens): string | undefined {
  if (tokens.length === 0) return undefined
  return tokens.includes('SessionToken') ? from.session : from.user
}

export function asking(operation: Operation, options: AskOptions): AskOptions {
  return operation.mediaType(200) === OPEN_STREAM ? { stream: '', ...options } : options
}

export function generateCases(operation: Operation, contract: OperationContract, api: ApiDescription): readonly GeneratedCase[] {
  const { name, tokens, open, body, parameters } = operation
  const send = (world: ContractWorld, options: AskOptions) =>
    world.ask(name, asking(operation, { token: tokenFor(operation, world.mine), ...options }))
  const valid = async (world: ContractWorld) => (await contract.valid?.(world)) ?? {}
  const cases: GeneratedCase[] = []
  const add = (status: Status, what: string, run: GeneratedCase['run']) => cases.push({ status, name: what, run })

  if (tokens.length > 0) {
    const refused = (what: string, options: (world: ContractWorld) => AskOptions) =>
      add(401, what, (world) => send(world, { token: undefined, ...options(world) }))
    if (!open) refused('no token', () => ({}))
    refused('garbage', () => ({ token: 'garbage' }))
    refused('credentials of another scheme', () => ({ authorization: 'Basic dXNlcjpwYXNz' }))
    refused('an expired token', (world) => ({ token: tokenFor(operation, world.expired) }))
    refused('a token with a changed last character', (world) => ({ token: `${tokenFor(operation, world.mine)?.slice(0, -2)}AA` }))
    if (tokens.length === 1)
      refused('a token of the other tier', ({ mine }) => ({ token: tokens[0] === 'UserToken' ? mine.session : mine.user }))
    if (tokens.includes('SessionToken')) refused('a token of a deleted session', ({ deleted }) => ({ token: deleted.session }))
  }
  if (body !== null) {
    const type = body.type
    add(400, 'a body that is not UTF-8', async (world) => send(world, { ...(await paramsOf(await valid(world))), raw: NOT_UTF8, type }))
    add(413, 'more than 10 MB', async (world) => send(world, { ...(await paramsOf(await valid(world))), raw: TOO_LARGE, type }))
  }
  if (parameters.some((parameter) => parameter.in === 'path'))
    add(400, 'a path that cannot be decoded', (world) =>
      world.ask(name.replace(/\{\w+\}/, '%ff'), { token: tokenFor(operation, world.mine) }),
    )
  // The server answers these before the platform's routes, so they go through a socket.
  for (const [status, what, headers] of [
    [415, 'a content coding', { 'content-encoding': 'gzip' }],
    [431, 'headers that are too long', { 'x-long': TOO_LONG }],
  ] as const)
    add(status, what, async (world) => send(world, { ...(await paramsOf(await valid(world))), stream: '', headers }))
  if (operation.statuses.includes(422)) addInvalid(operation, api, valid, send, add)
  add(429, 'more than the limit', async (world) => {
    const options = { ...(await paramsOf(await valid(world))), token: tokenFor(operation, world.mine) }
    const first = await world.askStrict(name, asking(operation, options))
    assert.notEqual(first.status, 429)
    const second = await world.askStrict(name, asking(operation, options))
    assert.equal(second.headers['ratelimit-remaining'], '0')
    return second
  })
  for (const [status, mood] of [
    [500, 'broken'],
    [503, 'away'],
  ] as const) {
    if (open && parameters.length === 0 && contract.cases?.[status] !== undefined) continue
    add(status, `the database is ${mood}`, async (world) => {
      const options = await valid(world)
      world.database.mood = mood
      try {
        const answer = await send(world, options)
        assert.ok(!answer.text.includes(SECRET_OF_FAILURE), 'the body reveals internals')
        return answer
      } finally {
        world.database.mood = 'well'
      }
    })
  }
  return cases.filter(({ status }) => operation.statuses.includes(status))
}

async function paramsOf({ params }: AskOptions): Promise<AskOptions> {
  return params === undefined ? {} : { params }
}

type Send = (world: ContractWorld, options: AskOptions) => Promise<Answer>
type Add = (status: Status, what: string, run: GeneratedCase['run']) => void

function addInvalid(
  { body, parameters }: Operation,
  api: ApiDescription,
  valid: (world: ContractWorld) => Promise<AskOptions>,
  send: Send,
  add: Add,
): void {
  const wrong = (what: string, loc: readonly string[], change: (valid: AskOptions) => AskOptions) =>
    add(422, what, async (world) => {
      const answer = await send(world, change(await valid(world)))
      assertIssueAt(answer, loc)
      return answer
    })
  for (const { in: place, name, required, schema } of parameters) {
    const spoilt = spoil(api.resolve(schema), true)
    const key = ({ path: 'params', query: 'query', header: 'headers' } as const)[place]
    if (key === undefined) continue
    if (spoilt !== null)
      wrong(`invalid ${name}`, [place, name], (options) => ({ ...options, [key]: { ...options[key], [name]: String(spoilt) } }))
    if (place === 'query' && required === true)
      wrong(`${name} is missing`, [place, name], (options) => ({ ...options, query: without(options.query ?? {}, name) }))
  }
  if (body === null) return
  const schema = api.resolve(body.schema)
  const isJson = body.type === 'application/json'
  const key = isJson ? 'json' : 'form'
  const changed = (options: AskOptions, change: (fields: Json) => Json) => ({ ...options, [key]: change((options[key] ?? {}) as Json) })
  if (isJson) {
    wrong('a body that is not JSON', ['body'], (options) => ({ ...options, json: undefined, raw: '{"a": tru' }))
    wrong('a body of another content type', ['body'], (options) => ({ ...options, json: undefined, raw: '{}', type: 'text/plain' }))
    wrong('a list instead of an object', ['body'], (options) => ({ ...options, json: [] }))
  }
  for (const name of (schema.required ?? []) as readonly string[])
    wrong(`${name} is missing`, ['body', name], (options) => changed(options, (fields) => without(fields, name)))
  for (const [name, property] of Object.entries((schema.properties ?? {}) as Json)) {
    const spoilt = spoil(api.resolve(property as Json), !isJson)
    if (spoilt !== null)
      wrong(`invalid ${name}`, ['body', name], (options) => changed(options, (fields) => ({ ...fields, [name]: spoilt })))
  }
  if (schema.additionalProperties === false)
    wrong('an unknown field', ['body', 'no_such_field'], (options) => changed(options, (fields) => ({ ...fields, no_such_field: 1 })))
}

function without(of: Json, name: string): Json {
  return Object.fromEntries(Object.entries(of).filter(([key]) => key !== name))
}

export function spoil(schema: Json, textOnly: boolean): unknown {
  const types = typesOf(schema)
  if (!textOnly) {
    if (types === null) return null
    return [{ no: { such: 'value' } }, 'no such value', ['no such value']].find(
      (_, i) => !types.includes(['object', 'string', 'array'][i] ?? ''),
    )
  }
  if (schema.maxLength !== undefined) return 'x'.repeat(schema.maxLength + 1)
  if (schema.enum !== undefined || schema.const !== undefined) return 'no-such-word'
  if (['integer', 'number', 'boolean'].some((type) => types?.includes(type))) return 'neither'
  return [schema.pattern, schema.format, schema.example].some((rule) => rule !== undefined) ? '/ fits no pattern' : null
}

function typesOf({ type, anyOf, oneOf, enum: words, const: word }: Json): readonly string[] | null {
  if (type !== undefined) return [type].flat()
  if (words !== undefined || word !== undefined) return []
  const alternatives = ((anyOf ?? oneOf) as readonly Json[] | undefined)?.map(typesOf)
  return alternatives === undefined || alternatives.includes(null) ? null : alternatives.flatMap((types) => types ?? [])
}

function assertIssueAt(answer: Answer, loc: readonly string[]): void {
  if (answer.status !== 422) return
  const places = answer.body.detail.map((issue: Json) => issue.loc.join('.')) as readonly string[]
  assert.ok(
    places.some((place) => place === loc.join('.') || place.startsWith(`${loc.join('.')}.`)),
    `${loc.join('.')} is not among ${places.join(', ')}`,
  )
}
