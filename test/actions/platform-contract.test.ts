/**
 * The agent platform against its own description: every operation of /openapi.json answers each status it names, with
 * the body and headers described there. A case that is missing fails, and one of which the description knows nothing.
 */
import assert from 'node:assert/strict'
import { assertDescribed } from '../support/platform/answer-rules.ts'
import { readDescription } from '../support/platform/api-description.ts'
import type { ContractCase, ContractTable } from '../support/platform/contract-case.ts'
import { type ContractWorld, createContractWorld, describePlatform } from '../support/platform/contract-world.ts'
import { asking, generateCases, tokenFor } from '../support/platform/generated-cases.ts'
import { PUBLISHED_ENDPOINTS } from './platform-contract/published-endpoints.ts'
import { CONTRACT_TABLES } from './platform-contract/tables.ts'

// before any test is there, since the tests are made of it
const api = readDescription(await describePlatform())
const TABLE: ContractTable = Object.assign({}, ...CONTRACT_TABLES)

describe('the contract of the agent platform', () => {
  let world: ContractWorld
  before(async () => {
    world = await createContractWorld()
  })
  after(() => world.stop())

  const missing: string[] = []
  for (const tag of new Set(api.operations.map((operation) => operation.tag))) {
    describe(tag, () => {
      for (const operation of api.operations.filter((one) => one.tag === tag)) {
        const { name, statuses } = operation
        const contract = TABLE[name] ?? {}
        const own = Object.entries(contract.cases ?? {}) as [string, ContractCase][]
        const generated = generateCases(operation, contract, api)
        const ask =
          (from: ContractWorld) =>
          (options: Parameters<ContractWorld['ask']>[1] = {}) =>
            from.ask(name, asking(operation, { token: tokenFor(operation, from.mine), ...options }))
        const judge = (status: number, what: string, run: (from: ContractWorld) => ReturnType<ContractCase>) =>
          it(`${name} ${status}${what === '' ? '' : `: ${what}`}`, async () => {
            const answer = await run(world)
            assert.equal(answer.status, status, `${answer.status}: ${answer.text.slice(0, 500)}`)
            assertDescribed(api, operation, answer)
          })
        for (const status of statuses) {
          const ofStatus = own.filter(([key]) => key.split(' ')[0] === String(status))
          const following = generated.filter((one) => one.status === status)
          for (const [key, run] of ofStatus) judge(status, key.split(' ').slice(1).join(' '), (from) => run(from, ask(from)))
          for (const one of following) judge(status, one.name, (from) => one.run(from))
          if (status === 200 && TABLE[name] !== undefined && contract.ownSuccess !== true && ofStatus.length === 0)
            judge(200, '', async (from) => ask(from)(await contract.valid?.(from)))
          else if (ofStatus.length + following.length === 0) missing.push(`${name} ${status}`)
        }
        missing.push(
          ...own.filter(([key]) => !statuses.includes(Number(key.split(' ')[0]))).map(([key]) => `${name} ${key} is not described`),
        )
      }
    })
  }

  it('has a case of every status of every operation, and none beyond', () => {
    const known = new Set(api.operations.map(({ name }) => name))
    const beyond = Object.keys(TABLE).filter((name) => !known.has(name))
    assert.deepEqual({ missing, beyond }, { missing: [], beyond: [] })
  })

  it('describes every endpoint of the published interface', () => {
    const known = new Set(api.operations.map(({ name }) => name))
    assert.deepEqual(
      PUBLISHED_ENDPOINTS.filter((name) => !known.has(name)),
      [],
    )
  })

  it('serves the very description it is judged by', async () => {
    const { status, body } = await world.ask('GET /openapi.json')
    assert.equal(status, 200)
    assert.deepEqual(body, api.document)
  })

  it('gives no example that it would refuse', () => {
    assert.deepEqual(api.wrongExamples(), [])
  })

  it('says what the data of each event of a stream is', () => {
    const streams = api.operations.filter((operation) => operation.mediaType(200) === 'text/event-stream')
    assert.deepEqual(streams.map(({ name }) => name).sort(), [
      'GET /api/v1/chatbot/chat/stream',
      'GET /api/v1/multi-agent/exchange/stream',
      'GET /mcp',
      'GET /mcp/sse',
      'POST /api/v1/chatbot/chat/stream',
    ])
    for (const stream of streams)
      for (const wrong of [{}, { detail: 'x' }, { role: 'user', content: 'x' }, { lost: 'x' }, { jsonrpc: '1.0', id: 1 }, 7, null])
        assert.notEqual(api.faultOf(stream, 200, wrong), null, `${stream.name} takes ${JSON.stringify(wrong)}`)
  })

  it('answers 405 with Allow to every other method of its paths', async () => {
    for (const path of new Set(api.operations.map((operation) => operation.path))) {
      const methods = api.operations.filter((operation) => operation.path === path).map(({ method }) => method as string)
      const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !allowed.includes(one))) {
        const { status, headers, body } = await world.ask(`${method} ${path}`)
        assert.deepEqual([status, body], [405, { detail: 'Method Not Allowed' }], `${method} ${path}`)
        assert.deepEqual(new Set(headers.allow?.split(', ')), new Set(allowed), `${method} ${path}`)
      }
    }
  })

  it('answers 404 to a path it does not have', async () => {
    const { status, body } = await world.ask('GET /api/v1/nothing')
    assert.deepEqual([status, body], [404, { detail: 'Not Found' }])
  })
})
