import assert from 'node:assert/strict'
import { BOTH, createMcpWorld, INITIALIZE, JSON_RPC, type McpWorld, PING } from './mcp-world.test-support.ts'

/** JSON-RPC 2.0, section 5: the id "MUST be the same as the value of the id member in the Request Object". */
describe('tool protocol, an id that is no safe integer', () => {
  const IDS = ['12345678901234567890', '9007199254740993', '-12345678901234567890', '1.0', '1e3', '-0', '7', '"12345678901234567890"']
  let world: McpWorld
  beforeEach(async () => {
    world = await createMcpWorld()
  })
  afterEach(() => world.stop())

  const send = async (path: string, text: string, headers: Readonly<Record<string, string>> = {}) => {
    const type = { 'content-type': 'application/json', ...headers }
    const response = await fetch(world.url + path, { method: 'POST', headers: type, body: text })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  const request = (id: string, method = '"ping"') => `{"jsonrpc":"2.0","id":${id},"method":${method}}`
  const idsIn = (text: string) => [...text.matchAll(/"id":("[^"]*"|[^,}]*)/g)].map(([, id]) => id)

  for (const path of ['/mcp', '/mcp/messages'])
    it(`is echoed as it was written, in answers and errors, at ${path}`, async () => {
      for (const id of IDS)
        for (const method of ['"ping"', '"no/such"', '"ping","extra":1']) {
          const { status, text } = await send(path, request(id, method))
          assert.deepEqual([status, idsIn(text)], [200, [id]], text)
        }
    })

  it('is echoed in a batch, beside ids that are near it', async () => {
    const { text } = await send('/mcp', `[${['12345678901234567890', '12345678901234567891', '1'].map((id) => request(id)).join()}]`)
    assert.deepEqual(idsIn(text), ['12345678901234567890', '12345678901234567891', '1'])
  })

  it('is echoed in a session, as JSON and as events, and a cancellation finds it', async () => {
    const opened = await world.post('/mcp', INITIALIZE, BOTH)
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    assert.deepEqual(idsIn((await send('/mcp', request(IDS[0] ?? ''), { ...session, ...BOTH })).text), [IDS[0]])
    const events = await send('/mcp', request(IDS[1] ?? ''), { ...session, accept: 'text/event-stream' })
    assert.match(events.text, /^event: message\n(?:id: .*\n)?data: \{.*"id":9007199254740993/m)
    const call = `{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":{"name":"held","arguments":{}}}`
    const held = send('/mcp', call, { ...session, accept: 'text/event-stream' })
    await world.heldCall()
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345678901234567890}}'
    assert.equal((await send('/mcp', cancel, { ...session, ...BOTH })).status, 202)
    const { text } = await held
    assert.deepEqual([idsIn(text), /"error"/.test(text)], [['12345678901234567890'], true])
  })

  it('is refused when it is no integer, or none of JSON-RPC', async () => {
    for (const id of ['1.5', 'true', '{}', '[1]', '1e999']) assert.equal((await send('/mcp', request(id))).status, 422, id)
    assert.equal((await world.post('/mcp', { ...JSON_RPC, ...PING, id: 'x'.repeat(257) })).status, 422)
  })
})
