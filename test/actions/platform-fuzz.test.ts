/** Random requests never get a 500 or an undescribed status or body. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { assertDescribed } from '../support/platform/answer-rules.ts'
import { type Operation, readDescription } from '../support/platform/api-description.ts'
import type { Answer, AskOptions } from '../support/platform/ask.ts'
import type { ContractTable } from '../support/platform/contract-case.ts'
import { type ContractWorld, createContractWorld, describePlatform } from '../support/platform/contract-world.ts'
import { asking, tokenFor } from '../support/platform/generated-cases.ts'
import { arbitraryOf, type Mutation, mutate, mutations } from '../support/platform/schema-arbitrary.ts'
import { CONTRACT_TABLES } from './platform-contract/tables.ts'

const REQUESTS = 500
/** 16 KiB for request line and headers, less what fetch adds. */
const READABLE_HEAD_CHARACTERS = 15_500
const api = readDescription(await describePlatform())
const TABLE: ContractTable = Object.assign({}, ...CONTRACT_TABLES)
const ENDS_SESSION = 'DELETE /api/v1/auth/session/{session_id}'

interface Attempt {
  readonly operation: Operation
  readonly fromValid: boolean
  readonly body: unknown
  readonly parameters: Readonly<Record<string, unknown>>
  readonly changes: readonly Mutation[]
  readonly anonymous: boolean
}

const OPERATIONS = api.operations.flatMap((operation) => (operation.body === null ? [operation] : Array<Operation>(4).fill(operation)))

const attempts: fc.Arbitrary<Attempt> = fc.constantFrom(...OPERATIONS).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    fromValid: fc.boolean(),
    body: operation.body === null ? fc.constant(undefined) : arbitraryOf(operation.body.schema, api),
    parameters: fc.record(Object.fromEntries(operation.parameters.map(({ name, schema }) => [name, arbitraryOf(schema, api)])), {
      requiredKeys: [],
    }),
    changes: mutations,
    anonymous: fc.boolean(),
  }),
)

const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
const texts = (values: object) =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (isText(value) ? [[name, String(value)]] : [])))
const printable = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.replace(/[^\x20-\x7e]/g, '?').trim()]))

async function requestOf({ operation, fromValid, body, parameters, changes }: Attempt, world: ContractWorld): Promise<AskOptions> {
  const valid = fromValid ? ((await TABLE[operation.name]?.valid?.(world)) ?? {}) : {}
  const placed = (place: string) => operation.parameters.filter((parameter) => parameter.in === place).map(({ name }) => name)
  const given = (place: string) => texts(Object.fromEntries(placed(place).map((name) => [name, parameters[name]])))
  const sent = mutate(valid.json ?? valid.form ?? body, changes)
  const query = mutate({ ...valid.query, ...given('query') }, operation.body === null ? changes : [])
  return {
    ...valid,
    ...(operation.body?.type === 'application/json' ? { json: sent } : {}),
    ...(operation.body?.type === 'application/x-www-form-urlencoded' ? { form: texts(Object(sent)) } : {}),
    query: texts(Object(query)),
    params: { ...given('path'), ...valid.params },
    headers: printable({ ...valid.headers, ...given('header') }),
  }
}

function assertHeadTooLarge({ query, params, headers }: AskOptions, { body }: Answer): void {
  const characters = JSON.stringify({ headers, params }).length + String(new URLSearchParams(query)).length
  assert.ok(characters > READABLE_HEAD_CHARACTERS, `431 for a head of ${characters} characters`)
  assert.match(body.detail, /longer than 16384 bytes/)
}

describe('the agent platform under random requests', () => {
  let world: ContractWorld
  before(async () => {
    world = await createContractWorld()
  })
  after(() => world.stop())

  it('answers as described, and never with 500', async () => {
    await fc.assert(
      fc.asyncProperty(attempts, async (attempt) => {
        const { operation, anonymous } = attempt
        const request = await requestOf(attempt, world)
        const token = operation.open && anonymous ? undefined : (request.token ?? tokenFor(operation, world.mine))
        const safe = operation.name === ENDS_SESSION && !attempt.fromValid ? { params: { session_id: 'none' } } : {}
        const answer = await world.ask(operation.name, asking(operation, { ...request, ...safe, token }))
        if (answer.status === 500) throw new Error(`${operation.name} answered 500: ${JSON.stringify(request).slice(0, 2_000)}`)
        if (answer.status === 431) assertHeadTooLarge(request, answer)
        assertDescribed(api, operation, answer)
      }),
      { numRuns: REQUESTS },
    )
  })
})
