import assert from 'node:assert/strict'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ANN, BOB, createMcpWorld, GENESIS_ADDRESS, type McpWorld, TRANSPORTS } from './mcp-world.test-support.ts'

const PUBLIC = ['bitcoin_latest_block', 'bitcoin_decode_tx', 'bitcoin_validate_address', 'held', 'list', 'page', 'big', 'away', 'broken']

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name)
}

// biome-ignore lint/suspicious/noExplicitAny: the result as a client sees it
async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<any> {
  return client.callTool({ name, arguments: args })
}

for (const kind of TRANSPORTS) {
  describe(`tool protocol, the SDK's client over ${kind}`, () => {
    let world: McpWorld
    beforeEach(async () => {
      world = await createMcpWorld()
    })
    afterEach(() => world.stop())

    it('identifies itself, and answers a ping', async () => {
      const client = await world.client(kind)
      assert.equal(client.getServerVersion()?.name, 'keelson-agent-platform')
      assert.deepEqual(client.getServerCapabilities(), { tools: {} })
      assert.deepEqual(await client.ping(), {})
    })

    it('lists the public tools without a token, and all tools to a session', async () => {
      assert.deepEqual(await namesOf(await world.client(kind)), PUBLIC)
      const { tools } = await (await world.client(kind, { token: ANN })).listTools()
      assert.deepEqual(new Set(tools.map(({ name }) => name)), new Set([...PUBLIC, 'whoami', 'pay']))
      const [pay, whoami] = ['pay', 'whoami'].map((name) => tools.find((tool) => tool.name === name)?.annotations)
      assert.deepEqual([pay?.readOnlyHint, pay?.destructiveHint], [false, true])
      assert.deepEqual([whoami?.readOnlyHint, whoami?.destructiveHint], [true, false])
      const schema = tools.find(({ name }) => name === 'bitcoin_validate_address')?.inputSchema
      assert.equal(schema?.type, 'object')
      assert.ok(Object.hasOwn(schema?.properties ?? {}, 'address'))
    })

    it('returns a result as structured content and as the same JSON in text', async () => {
      const client = await world.client(kind)
      const result = await call(client, 'bitcoin_validate_address', { address: GENESIS_ADDRESS })
      assert.equal(result.structuredContent.valid, true)
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent)
      assert.deepEqual((await call(client, 'list')).structuredContent, { result: [1, 2] })
    })

    it('returns the refusal of a tool as a result with isError', async () => {
      const client = await world.client(kind)
      for (const [name, args, text] of [
        ['bitcoin_validate_address', { nothing: 1 }, /do not fit/],
        ['bitcoin_latest_block', {}, /no source of bitcoin blocks is configured/],
        ['away', {}, /unavailable: .*it hangs/],
        ['big', {}, /too large/],
      ] as const) {
        const result = await call(client, name, args)
        assert.equal(result.isError, true)
        assert.match(result.content[0].text, text)
      }
    })

    it('answers an unknown tool and an internal failure as protocol errors without details', async () => {
      const client = await world.client(kind)
      await assert.rejects(call(client, 'nothing'), { code: -32602, message: /Unknown tool: nothing/ })
      await assert.rejects(call(client, 'whoami'), { code: -32602, message: /needs the token of a session/ })
      await assert.rejects(call(client, 'pay'), { code: -32602, message: /needs the token of a session/ })
      await assert.rejects(call(client, 'broken'), { code: -32603, message: 'MCP error -32603: Internal error' })
      await assert.rejects(client.request({ method: 'tools/call', params: { name: 7 } } as never, {} as never), { code: -32602 })
      await assert.rejects(client.request({ method: 'resources/list' }, {} as never), { code: -32601 })
    })

    it('keeps sessions apart', async () => {
      const [ann, bob] = [await world.client(kind, { token: ANN }), await world.client(kind, { token: BOB })]
      const who = await Promise.all([ann, bob, ann].map((client) => call(client, 'whoami')))
      assert.deepEqual(
        who.map(({ structuredContent }) => structuredContent.sessionId),
        ['ann', 'bob', 'ann'],
      )
      const asked = [call(ann, 'held'), call(bob, 'held')]
      const [first, second] = [await world.heldCall(), await world.heldCall()]
      second.finish({ turn: 2 })
      first.finish({ turn: 1 })
      const turns = (await Promise.all(asked)).map(({ structuredContent }) => structuredContent.turn)
      assert.deepEqual(new Set(turns), new Set([1, 2]))
    })

    it('refuses an invalid token, and one that was revoked', async () => {
      await assert.rejects(world.client(kind, { token: 'made-up' }), (error: { code?: number }) => error.code === 401)
      const client = await world.client(kind, { token: ANN })
      world.callers.delete(ANN)
      await assert.rejects(call(client, 'whoami'), /401|Invalid or expired token/)
    })

    it('cancels a reading tool for the client, but not one that moves money', async () => {
      const client = await world.client(kind, { token: ANN })
      const leaving = new AbortController()
      const calls = ['held', 'pay'].map((name) => client.callTool({ name, arguments: {} }, undefined, { signal: leaving.signal }))
      const ended = calls.map((answer) => assert.rejects(answer))
      const [held, pay] = [await world.heldCall(), await world.heldCall()]
      const broken = new Promise((resolve) => held.signal.addEventListener('abort', resolve))
      leaving.abort()
      await Promise.all(ended)
      await broken
      assert.equal(pay.signal.aborted, false)
      pay.finish({})
      assert.deepEqual(await client.ping(), {})
    })

    it('has a time limit for each tool', async () => {
      const client = await world.client(kind, { token: ANN })
      const slow = call(client, 'held')
      const { signal } = await world.heldCall()
      await world.clock.advance(30_000)
      const result = await slow
      assert.equal(result.isError, true)
      assert.match(result.content[0].text, /longer than 30 s/)
      assert.equal(signal.aborted, true)
      const paying = call(client, 'pay')
      const pay = await world.heldCall()
      await world.clock.advance(59_000)
      assert.equal(pay.signal.aborted, false)
      pay.finish({ paid: true })
      assert.deepEqual((await paying).structuredContent, { paid: true })
    })

    it('ends streams and reading tools when the server stops', async () => {
      const client = await world.client(kind)
      const answer = call(client, 'held').catch(() => 'ended')
      const told = kind === 'sse' ? new Promise<void>((resolve) => (client.onerror = () => resolve())) : answer
      const { signal } = await world.heldCall()
      await Promise.all([world.stopServer(), told])
      assert.equal(signal.aborted, true)
    })
  })
}
