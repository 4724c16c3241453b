import assert from 'node:assert/strict'
import { LIQUIDITY_CONTRACTS } from '@keelson/contracts'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CONTRACT_WALLET } from '../support/platform/contract-trading.ts'
import { type ContractWorld, createContractWorld, type Tokens } from '../support/platform/contract-world.ts'

const { TestDollar } = LIQUIDITY_CONTRACTS
const MAX_ROUNDS = 50

describe('the tool protocol over the whole platform', () => {
  let world: ContractWorld
  before(async () => {
    world = await createContractWorld()
  })
  after(() => world.stop())

  async function connected(kind: 'sse' | 'streamable', token?: string): Promise<Client> {
    const client = new Client({ name: 'action', version: '0' })
    const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
    const { url } = world.platform.server
    const transport =
      kind === 'sse'
        ? new SSEClientTransport(new URL('/mcp/sse', url), { requestInit })
        : new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit })
    // The library's types do not support exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<Client['connect']>[0])
    return client
  }
  // biome-ignore lint/suspicious/noExplicitAny: the result as a client sees it
  async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<any> {
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: args })
    assert.notEqual(isError, true, `${name}: ${JSON.stringify(content)}`)
    return structuredContent
  }

  it('lists tools with schemas that clients accept, and those that move money only with a session', async () => {
    const [anyone, mine] = [await connected('streamable'), await connected('sse', world.mine.session)]
    const [open, all] = [(await anyone.listTools()).tools, (await mine.listTools()).tools]
    const names = all.map(({ name }) => name)
    for (const name of ['oracle_price', 'wallet_balance', 'quote_swap', 'risk_assess', 'swap_simulate', 'swap_execute', 'positions'])
      assert.ok(names.includes(name), name)
    assert.ok(open.length > 0 && open.length < all.length)
    assert.equal(
      open.find(({ annotations }) => annotations?.readOnlyHint !== true),
      undefined,
    )
    const destructive = all.filter(({ annotations }) => annotations?.destructiveHint === true)
    assert.deepEqual(
      destructive.map(({ name }) => name),
      ['swap_execute'],
    )
    assert.equal(JSON.stringify(all).includes('$ref'), false)
    await Promise.all([anyone.close(), mine.close()])
  })

  for (const kind of ['sse', 'streamable'] as const) {
    it(`swaps over ${kind}, once per key, and updates the positions`, async () => {
      const user: Tokens = await world.newUser()
      const client = await connected(kind, user.session)
      const swap = { token_in: 'KEEL', token_out: TestDollar, amount: '0.5', slippage_bps: 50 }
      const quote = await call(client, 'quote_swap', swap)
      const report = await call(client, 'risk_assess', { ...swap, quote_id: quote.quote_id })
      assert.equal(report.level, 'low')
      const simulated = await call(client, 'swap_simulate', { ...swap, wallet_ref: CONTRACT_WALLET })
      assert.deepEqual([simulated.status, simulated.execution_id], ['success', null])
      assert.deepEqual((await call(client, 'positions')).positions, [])

      const input = { ...quote.input, simulate_only: false }
      const order = { input, confirm: true, wallet_ref: CONTRACT_WALLET, idempotency_key: `over-${kind}`, quote_id: quote.quote_id }
      const sent = await call(client, 'swap_execute', order)
      const again = await call(client, 'swap_execute', order)
      assert.deepEqual([again.execution_id, again.tx_hash], [sent.execution_id, sent.tx_hash])
      let { status } = sent
      for (let i = 0; status === 'pending' && i < MAX_ROUNDS; i++) {
        await world.devnet.world.mine()
        status = (await call(client, 'execution_status', { execution_id: sent.execution_id })).status
      }
      assert.equal(status, 'success')

      const { positions } = await call(client, 'positions')
      const dollars = positions.find(({ token_address }: { token_address: string }) => token_address.toLowerCase() === TestDollar)
      assert.ok(dollars.quantity > 1_200, JSON.stringify(positions))
      assert.ok((await call(client, 'portfolio_metrics')).volume.usd > 1_200)
      await client.close()
    })
  }

  it('refuses a swap that the wallet does not allow, and one without a token', async () => {
    const client = await connected('streamable', (await world.newUser()).session)
    const input = { chain_id: world.devnet.config.id, token_in_address: `0x${'77'.repeat(20)}`, token_out_address: TestDollar }
    const order = { confirm: true, wallet_ref: CONTRACT_WALLET, idempotency_key: 'refused' }
    const refused = await client.callTool({
      name: 'swap_execute',
      arguments: { ...order, input: { ...input, amount_in: '1', slippage_bps: 50, simulate_only: false } },
    })
    assert.equal(refused.isError, true)
    await assert.rejects((await connected('streamable')).callTool({ name: 'swap_execute', arguments: order }), { code: -32602 })
    await client.close()
  })

  it('ends with the session whose token it came with', async () => {
    const { session, sessionId } = await world.newUser()
    const client = await connected('streamable', session)
    await world.ask('DELETE /api/v1/auth/session/{session_id}', { token: session, params: { session_id: sessionId } })
    await assert.rejects(client.listTools(), { code: 401 })
    await client.close()
  })
})
