/** Each operation of /openapi.json must answer each of its statuses as described. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Script } from 'node:vm'
import { assertDescribed } from '../support/platform/answer-rules.ts'
import { readDescription } from '../support/platform/api-description.ts'
import type { ContractCase, ContractTable } from '../support/platform/contract-case.ts'
import { type ContractWorld, createContractWorld, describePlatform } from '../support/platform/contract-world.ts'
import { asking, generateCases, tokenFor } from '../support/platform/generated-cases.ts'
import { PUBLISHED_ENDPOINTS } from './platform-contract/published-endpoints.ts'
import { CONTRACT_TABLES } from './platform-contract/tables.ts'

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

  it('has a case for every status of every operation, and no others', () => {
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

  it('serves the description that these tests use', async () => {
    const { status, body } = await world.ask('GET /openapi.json')
    assert.equal(status, 200)
    assert.deepEqual(body, api.document)
  })

  it('accepts all of its examples', () => {
    assert.deepEqual(api.wrongExamples(), [])
  })

  it('describes the data of each event of a stream', () => {
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

  it('answers 405 with Allow to every undescribed method of its paths', async () => {
    const { host } = new URL(world.platform.server.url)
    for (const path of new Set([...api.operations.map((operation) => operation.path), '/openapi.json', '/docs'])) {
      const described = api.operations.filter((operation) => operation.path === path).map(({ method }) => method as string)
      const methods = described.length === 0 ? ['GET'] : described
      const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
      const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'].filter((one) => !allowed.includes(one))
      for (const method of others) {
        // Not fetch, which sends no TRACE.
        const asking = request({ host: host.split(':')[0], port: host.split(':')[1], method, path: path.replace(/[{}]/g, '') }).end()
        const [answer] = (await once(asking, 'response')) as [IncomingMessage]
        const text = (await answer.toArray()).join('')
        assert.deepEqual([answer.statusCode, JSON.parse(text)], [405, { detail: 'Method Not Allowed' }], `${method} ${path}`)
        assert.deepEqual(new Set(answer.headers.allow?.split(', ')), new Set(allowed), `${method} ${path}`)
      }
    }
  })

  it('has an example of each body that fits its schema and that the server accepts', async () => {
    for (const operation of api.operations.filter(({ body }) => body !== null)) {
      const { name, path, body } = operation
      const schema = api.resolve(body?.schema ?? {})
      const example = schema.example ?? api.resolve(schema.anyOf?.[0] ?? {}).example
      assert.ok(example !== undefined, `${name} has no example`)
      const { params } = (await TABLE[name]?.valid?.(world)) ?? {}
      const sent = body?.type === 'application/json' ? { json: example } : { form: example }
      const token = tokenFor(operation, path.includes('{session_id}') ? world.mine : await world.newUser())
      const { status, text } = await world.ask(name, asking(operation, { token, ...sent, ...(params === undefined ? {} : { params }) }))
      assert.equal(status, path.endsWith('/unsubscribe') ? 404 : 200, `${name}: ${text.slice(0, 300)}`)
    }
  })

  it('shows the description as a page that loads nothing from elsewhere', async () => {
    const get = (path: string) => fetch(new URL(path, world.platform.server.url))
    const page = await get('/docs')
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'/)
    const html = await page.text()
    assert.equal(/(?:src|href)="(?!\/)/.test(html), false)
    for (const [, path = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const part = await get(path)
      assert.equal(part.status, 200, path)
      if (path.endsWith('.js')) new Script(await part.text())
    }
  })

  it('answers 404 to an unknown path', async () => {
    const { status, body } = await world.ask('GET /api/v1/nothing')
    assert.deepEqual([status, body], [404, { detail: 'Not Found' }])
  })
})
