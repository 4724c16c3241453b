import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { LIQUIDITY_CONTRACTS } from '@keelson/contracts'
import { NATIVE_ADDRESS } from '@keelson/platform'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { getAddress } from 'viem'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { endAllKeelson } from '../support/keelson-process.ts'
import { type PlatformFleet, platformStorages } from '../support/platform/platform-fleet.ts'
import { type NextUrl, newPlatformUser, type PlatformUser } from '../support/platform/platform-user.ts'
import { createPlatformWriters } from '../support/platform/platform-writers.ts'
import { readServerSentEvents, type ServerSentEvent } from '../support/platform/server-sent-events.ts'
import { createSwapWitness, DOLLAR_DECIMALS, type SwapWitness, type WitnessedSwap } from '../support/platform/swap-witness.ts'

const PORTS = await claimE2ePorts()
const API = '/api/v1'
const AGENTS = `${API}/multi-agent`
const EXECUTE = `${AGENTS}/execute/evm`
const WALLET_REF = 'devnet'
const { TestDollar } = LIQUIDITY_CONTRACTS
const SETTLE_MS = 240_000
const SOLD_DOLLARS = 100

function near(actual: number, expected: number, what: string): void {
  const apart = Math.abs(actual - expected)
  assert.ok(apart <= 1e-9 + Math.abs(expected) * 1e-12, `${what} is ${actual}, but by the chain's receipts ${expected}`)
}

describe('the agent platform of a development network', () => {
  let devnet: DevnetProcess
  let witness: SwapWitness
  let wallet: `0x${string}`
  let chainId: number

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORTS.offset)
    witness = await createSwapWitness(devnet.facts.l2.rpcUrl)
    wallet = (devnet.facts.accounts[9] as (typeof devnet.facts.accounts)[number]).address
    chainId = devnet.facts.l2.chainId
  })
  after(async () => {
    await endAllKeelson()
    await devnet?.remove()
  })

  const buying = (amount: string) => ({
    chain_id: chainId,
    token_in_address: NATIVE_ADDRESS,
    token_out_address: TestDollar,
    amount_in: amount,
    amount_in_currency: 'token_units',
    slippage_bps: 100,
  })
  const order = (input: object) => ({
    input: { ...input, simulate_only: false },
    confirm: true,
    skip_risk: false,
    wallet_ref: WALLET_REF,
  })

  async function executed(user: PlatformUser, json: object, key: string): Promise<`0x${string}`> {
    const sent = await user.ask('POST', EXECUTE, { json, headers: { 'idempotency-key': key } })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    const id = sent.headers.get('x-execution-id')
    assert.ok(id)
    return settled(user, id)
  }
  const settled = (user: PlatformUser, id: string) =>
    eventually(`execution ${id}`, async () => {
      const { status, tx_hash, message } = await user.get('GET', `${EXECUTE}/${id}`)
      assert.notEqual(status, 'failed', message)
      return status === 'success' ? (tx_hash as `0x${string}`) : null
    })

  for (const storage of platformStorages()) {
    describe(`over ${storage.name}`, () => {
      let fleet: PlatformFleet
      let user: PlatformUser
      let bought: WitnessedSwap

      before(async () => {
        fleet = await storage.open(devnet, PORTS.spare)
        user = await newPlatformUser(fleet.nextUrl)
      })
      after(() => fleet?.stop())

      it('registers a user, and reports prices, balances and the intent of a text', async () => {
        const sessions = await user.get('GET', `${API}/auth/sessions`)
        assert.equal(sessions.length, 1)
        assert.equal((await user.ask('GET', `${API}/positions`, { token: user.userToken })).status, 401)
        const price = await user.get('POST', `${AGENTS}/oracle/price`, { json: { chain: 'devnet', pair: 'ETH/USD' } })
        assert.equal(Number(price.price), await witness.nativeUsd())
        const balance = await user.get('POST', `${AGENTS}/wallet/evm/balance`, { json: { address: wallet } })
        const dollars = balance.tokens.find(({ address }: { address: string }) => address.toLowerCase() === TestDollar)
        assert.equal(Number(dollars.balance) * 10 ** DOLLAR_DECIMALS, Number(await witness.dollars(wallet)))
        const wanted = await user.get('POST', `${AGENTS}/preview`, { json: { text: 'Swap 0.1 ETH for testUSD' } })
        assert.deepEqual(wanted, {
          intent: 'swap_tokens',
          team: 'trading',
          entities: { token_in: 'ETH', token_out: 'testUSD', amount: '0.1' },
        })
      })

      it('quotes, assesses and simulates without a transaction', async () => {
        const [sentBefore, dollarsBefore] = await Promise.all([witness.sent(wallet), witness.dollars(wallet)])
        const input = buying('0.1')
        const quote = await user.get('POST', `${AGENTS}/quote/evm/pseudo`, { json: { input } })
        assert.ok(Math.abs(Number(quote.expected_out) / (0.1 * (await witness.nativeUsd())) - 1) < 0.01, quote.expected_out)
        assert.ok(Date.parse(quote.expires_at) > Date.now())
        const run = await user.get('POST', `${AGENTS}/preview/run`, { json: { text: 'Swap 0.1 ETH for testUSD', evm_input: input } })
        assert.deepEqual([run.intent, run.team, run.risk.level], ['swap_tokens', 'trading', 'low'], run.summary)
        const addresses = [NATIVE_ADDRESS, TestDollar]
        const risk = await user.get('POST', `${AGENTS}/risk/preview`, { json: { quote: run.quote, input: { chain: 'evm', addresses } } })
        assert.equal(risk.level, 'low', JSON.stringify(risk))
        const simulation = { input: { ...input, simulate_only: true }, confirm: false, skip_risk: false, wallet_ref: WALLET_REF }
        const simulated = await user.get('POST', EXECUTE, { json: simulation })
        assert.deepEqual([simulated.status, simulated.tx_hash], ['success', undefined])
        assert.equal((await user.ask('POST', EXECUTE, { json: { ...simulation, confirm: true } })).status, 422)
        assert.deepEqual(await Promise.all([witness.sent(wallet), witness.dollars(wallet)]), [sentBefore, dollarsBefore])
        assert.deepEqual(await user.get('GET', `${API}/positions`), [])
      })

      it('swaps once per key, and updates position, volume, profit and market data from the chain', async () => {
        const before = await witness.hashes(wallet)
        const url = fleet.nextUrl()
        const trades = await marketTrades(user, url)
        const json = order(buying('0.1'))
        const headers = { 'idempotency-key': `story-${randomBytes(8).toString('hex')}` }
        const sent = await Promise.all([1, 2, 3].map(() => user.insist('POST', EXECUTE, { json, headers }, SETTLE_MS)))
        for (const { status, body } of sent) assert.equal(status, 200, JSON.stringify(body))
        const ids = new Set(sent.map((answer) => answer.headers.get('x-execution-id')))
        assert.equal(ids.size, 1)
        const hash = await settled(user, [...ids][0] as string)
        const again = await user.get('POST', EXECUTE, { json, headers })
        assert.deepEqual([again.tx_hash, again.status], [hash, 'success'])
        assert.equal((await user.ask('POST', EXECUTE, { json: order(buying('0.2')), headers })).status, 409)
        assert.deepEqual((await witness.hashes(wallet)).slice(before.length), [hash])

        bought = await witness.swap(hash, wallet)
        assert.deepEqual([bought.sells, bought.native], ['native', 0.1])
        const [position, ...others] = await user.get('GET', `${API}/positions`)
        assert.equal(others.length, 0)
        assert.deepEqual([position.token_address, position.wallet_address], [getAddress(TestDollar), getAddress(wallet)])
        assert.equal(position.quantity, bought.dollars)
        near(position.cost_basis_usd_per_unit, bought.dollarUsd + bought.feeUsd / bought.dollars, 'the cost of a dollar')
        const { total_volume_usd } = await user.get('GET', `${API}/metrics/volume`)
        near(total_volume_usd, bought.native * bought.nativeUsd, 'volume')
        assert.equal((await user.get('GET', `${API}/metrics/pnl`)).realized_pnl_usd, 0)

        const trade = await trades.find(hash)
        assert.deepEqual([trade.symbol, trade.side], ['WETHTESTUSD', 'sell'])
        assert.equal(Number(trade.quantity), bought.native)
        near(Number(trade.price), bought.dollars / bought.native, 'the price of the trade')
      })

      it('sells a part and computes the profit from the receipts of both trades', async () => {
        const selling = { ...buying(String(SOLD_DOLLARS)), token_in_address: TestDollar, token_out_address: NATIVE_ADDRESS }
        const hash = await executed(user, order(selling), `sell-${randomBytes(8).toString('hex')}`)
        const sold = await witness.swap(hash, wallet)
        assert.deepEqual([sold.sells, sold.dollars], ['dollars', SOLD_DOLLARS])
        const costUsd = bought.dollars * bought.dollarUsd + bought.feeUsd
        const realizedUsd = SOLD_DOLLARS * sold.dollarUsd - (costUsd * SOLD_DOLLARS) / bought.dollars
        const pnl = await user.get('GET', `${API}/metrics/pnl`)
        near(pnl.realized_pnl_usd, realizedUsd, 'realised profit')
        assert.deepEqual(pnl.by_agent, [{ key: 'trading', value: pnl.realized_pnl_usd }])
        const volume = await user.get('GET', `${API}/metrics/volume`)
        near(volume.total_volume_usd, bought.native * bought.nativeUsd + SOLD_DOLLARS * sold.dollarUsd, 'volume')

        const marked = await user.get('POST', `${API}/positions/mark-to-market`, { json: { agent: 'trading', chain: 'devnet' } })
        assert.deepEqual([marked.marked, marked.unpriced], [2, []])
        const keptUsd = (bought.dollars - SOLD_DOLLARS) * sold.dollarUsd
        const marketUsd = keptUsd + sold.native * sold.nativeUsd
        near(marked.market_value_usd, marketUsd, 'the value of the positions')
        const restUsd = costUsd * (1 - SOLD_DOLLARS / bought.dollars)
        const unrealizedUsd = marketUsd - restUsd - (sold.native * sold.nativeUsd + sold.feeUsd)
        near((await user.get('GET', `${API}/metrics/pnl/unrealized`)).unrealized_pnl_usd, unrealizedUsd, 'unrealised profit')

        const positions = await user.get('GET', `${API}/positions?agent=trading`)
        const holdings = positions.map((position: Record<string, unknown>) => ({
          token_address: position.token_address,
          token_symbol: position.token_symbol,
          quantity: position.quantity,
          usd_value: position.market_value_usd,
        }))
        const snapshot = { agent: 'trading', wallet_address: wallet, chain_id: chainId, holdings }
        assert.equal((await user.get('POST', `${API}/metrics/wallets/snapshot`, { json: snapshot })).holdings, 2)
        near((await user.get('GET', `${API}/metrics/tvl?mode=agents&agent=trading`)).tvl_usd, marketUsd, 'the value of the wallet')
        assert.ok((await user.get('GET', `${API}/metrics/tvl?mode=defidata&chain=devnet`)).tvl_usd > 1_000_000)
      })

      it('chats with whole answers and streams, and resumes an interrupted stream', async () => {
        const question = (content: string) => ({ json: { messages: [{ role: 'user', content }] } })
        const first = await user.get('POST', `${API}/chatbot/chat`, question('What is the price of ETH?'))
        assert.equal(first.messages.length, 2)
        assert.match(first.messages[1].content, new RegExp(`1 ETH = ${await witness.nativeUsd()} USD`))

        const holdings = await wholeStream(await user.open('POST', `${API}/chatbot/chat/stream`, question('What are my positions?')))
        const left = Math.round((bought.dollars - SOLD_DOLLARS) * 10 ** DOLLAR_DECIMALS) / 10 ** DOLLAR_DECIMALS
        assert.match(textOf(holdings), new RegExp(`${left} testUSD`))

        const asked = 'Swap 0.1 ETH for testUSD'
        const streamed = await user.open('POST', `${API}/chatbot/chat/stream`, question(asked))
        const events = await wholeStream(streamed)
        assert.ok(events.length >= 4, `${events.length} fragments`)
        const middle = Math.floor(events.length / 2)
        const placeIn = (turn: Response, said: readonly ServerSentEvent[]) => ({
          headers: { 'last-event-id': `${turn.headers.get('x-chat-turn')}-${textOf(said).length}` },
        })
        const rest = await wholeStream(await user.open('GET', `${API}/chatbot/chat/stream`, placeIn(streamed, events.slice(0, middle + 1))))
        assert.equal(textOf(rest), textOf(events.slice(middle + 1)))

        const leaving = new AbortController()
        const broken = await user.open('POST', `${API}/chatbot/chat/stream`, { ...question(asked), signal: leaving.signal })
        const cut = readServerSentEvents(broken)
        const begun = (await cut.next()).value as ServerSentEvent
        leaving.abort()
        const later = await wholeStream(await user.open('GET', `${API}/chatbot/chat/stream`, placeIn(broken, [begun])))

        const { messages } = await user.get('GET', `${API}/chatbot/messages`)
        const answers = [first.messages[1].content, textOf(holdings), textOf(events), textOf([begun, ...later])]
        const questions = ['What is the price of ETH?', 'What are my positions?', asked, asked]
        assert.deepEqual(
          messages,
          questions.flatMap((content, i) => [
            { role: 'user', content },
            { role: 'assistant', content: answers[i] },
          ]),
        )
        assert.ok((await user.get('DELETE', `${API}/chatbot/messages`)).message)
        assert.deepEqual((await user.get('GET', `${API}/chatbot/messages`)).messages, [])
      })

      it('researches the chain through a subgraph, analytics and DeFi data at once', async () => {
        const hashes = await witness.hashes(wallet)
        const research = await user.get('POST', `${AGENTS}/research/preview`, {
          json: {
            gql: 'query($n: Int!) { swaps(first: $n) { transaction } pools(first: 1) { token0 { symbol } } }',
            variables: { n: hashes.length },
            analytics_query_id: 1,
            analytics_params: { blocks: 2_000 },
            tvl_chain: 'devnet',
            defi_calls: [{ tool_name: 'token_price', arguments: { symbol: 'ETH' } }],
          },
        })
        assert.deepEqual(research.errors, [])
        const found = research.graph_data.swaps.map(({ transaction }: { transaction: string }) => transaction)
        assert.deepEqual(found.reverse(), hashes)
        assert.equal(research.analytics_state, 'QUERY_STATE_COMPLETED')
        assert.ok(
          research.analytics_rows.some(({ swaps }: { swaps: number }) => swaps === hashes.length),
          JSON.stringify(research),
        )
        assert.deepEqual(
          research.defi_results.map(({ tool }: { tool: string }) => tool),
          ['token_price', 'tvl_get'],
        )
        assert.equal(Number(research.defi_results[0].result.price_usd), await witness.nativeUsd())
        assert.ok(research.summary.length > 20)
      })

      for (const kind of ['streamable HTTP', 'the first transport'] as const) {
        it(`trades through the tool protocol over ${kind}`, async () => {
          const trader = await newPlatformUser(fleet.nextUrl)
          const client = await connected(kind, fleet.nextUrl, trader.token)
          const stranger = await connected(kind, fleet.nextUrl)
          const open = (await stranger.listTools()).tools.map(({ name }) => name)
          const { tools } = await client.listTools()
          assert.ok(open.includes('oracle_price') && !open.includes('swap_execute'), open.join())
          assert.equal(tools.find(({ name }) => name === 'swap_execute')?.annotations?.destructiveHint, true)

          const price = await call(client, 'oracle_price', { pair: 'ETH/USD' })
          assert.equal(Number(price.price), await witness.nativeUsd())
          const swap = { token_in: 'ETH', token_out: 'testUSD', amount: '0.05', slippage_bps: 100 }
          const quote = await call(client, 'quote_swap', swap)
          const risk = await call(client, 'risk_assess', { ...swap, quote_id: quote.quote_id })
          assert.equal(risk.level, 'low', JSON.stringify(risk))
          const before = await witness.hashes(wallet)
          const simulated = await call(client, 'swap_simulate', { ...swap, wallet_ref: WALLET_REF })
          assert.deepEqual([simulated.status, simulated.execution_id], ['success', null])
          assert.deepEqual(await witness.hashes(wallet), before)

          const key = `tool-${randomBytes(8).toString('hex')}`
          const fresh = await call(client, 'quote_swap', swap)
          const args = { ...order(fresh.input), idempotency_key: key, quote_id: fresh.quote_id }
          const { execution_id } = await call(client, 'swap_execute', args)
          const hash = await eventually('the swap', async () => {
            const { status, tx_hash } = await call(client, 'execution_status', { execution_id })
            assert.notEqual(status, 'failed')
            return status === 'success' ? (tx_hash as `0x${string}`) : null
          })
          assert.equal((await call(client, 'swap_execute', args)).execution_id, execution_id)
          assert.deepEqual((await witness.hashes(wallet)).slice(before.length), [hash])
          const made = await witness.swap(hash, wallet)
          const { positions } = await call(client, 'positions')
          assert.equal(positions.length, 1)
          assert.equal(Number(positions[0].quantity), made.dollars)
          near((await call(client, 'portfolio_metrics')).volume.usd, made.native * made.nativeUsd, 'volume')
          await Promise.all([client.close(), stranger.close()])
        })
      }

      it('loses nothing it acknowledged and trades nothing twice when it is killed during writes', async () => {
        const writer = await newPlatformUser(fleet.nextUrl)
        const before = await witness.hashes(wallet)
        const sentBefore = await witness.sent(wallet)
        const writers = await createPlatformWriters(writer, { chainId, wallet, order: order(buying('0.01')), executePath: EXECUTE })
        await eventually('the acknowledgement of an execution', async () => writers.acknowledged().executions >= 1)
        writers.startBooks()
        await eventually('writes of all kinds', async () => {
          const { trades, chats } = writers.acknowledged()
          return trades >= 30 && chats >= 5
        })
        await fleet.killOne()
        const acknowledged = writers.acknowledged()
        const { broken } = await writers.broken()
        await fleet.ready()
        const { executions, trades, chats } = acknowledged
        console.log(`      killed after ${executions} executions, ${trades} trades, ${chats} answers; ${broken} requests failed`)
        assert.ok(broken > 0, 'everything was answered before the kill')

        await writers.checkConversations()
        const hashes = await writers.insistOnExecutions((id) => settled(writer, id))
        assert.deepEqual(new Set((await witness.hashes(wallet)).slice(before.length)), hashes)
        assert.equal(await witness.sent(wallet), sentBefore + hashes.size)
        const swaps = await Promise.all([...hashes].map((hash) => witness.swap(hash, wallet)))
        await writers.checkVolume(swaps.reduce((sum, { native, nativeUsd }) => sum + native * nativeUsd, 0))
        const [position] = await writer.get('GET', `${API}/positions?agent=trading`)
        const units = swaps.reduce((sum, { dollarUnits }) => sum + dollarUnits, 0n)
        assert.equal(position.quantity, Number(units) / 10 ** DOLLAR_DECIMALS)
      })
    })
  }
})

interface MarketTrades {
  // biome-ignore lint/suspicious/noExplicitAny: the body as a client sees it
  find(hash: string): Promise<any>
}

async function marketTrades(user: PlatformUser, url: string): Promise<MarketTrades> {
  const json = { symbol: 'WETHTESTUSD', market: 'spot', streams: ['trade'] }
  const answer = await user.open('POST', `${AGENTS}/exchange/subscribe`, { url, json })
  const subscribed = (await answer.json()) as { readonly status: string; readonly streams: readonly string[] }
  assert.deepEqual([subscribed.status, subscribed.streams], ['subscribed', ['WETHTESTUSD@trade']])
  const leaving = new AbortController()
  const stream = await user.open('GET', `${AGENTS}/exchange/stream`, { url, signal: leaving.signal })
  return {
    async find(hash) {
      const late = setTimeout(() => leaving.abort(new Error(`the trade ${hash} was not delivered`)), SETTLE_MS)
      try {
        for await (const { event, data } of readServerSentEvents(stream)) {
          const told = JSON.parse(data)
          if (event === 'data' && told.data.transaction_hash === hash) return told.data
        }
        return assert.fail(`the stream ended without the trade ${hash}`)
      } finally {
        clearTimeout(late)
        leaving.abort()
      }
    },
  }
}

async function wholeStream(response: Response): Promise<readonly ServerSentEvent[]> {
  const events: ServerSentEvent[] = []
  for await (const event of readServerSentEvents(response)) events.push(event)
  assert.equal(events.pop()?.data, '[DONE]')
  for (const { event, data } of events) assert.deepEqual([event, JSON.parse(data).role], ['message', 'assistant'])
  return events
}

function textOf(events: readonly ServerSentEvent[]): string {
  return events.map(({ data }) => JSON.parse(data).content).join('')
}

async function connected(kind: 'streamable HTTP' | 'the first transport', nextUrl: NextUrl, token?: string): Promise<Client> {
  const client = new Client({ name: 'keelson-e2e', version: '1.0.0' })
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
  const transport =
    kind === 'streamable HTTP'
      ? new StreamableHTTPClientTransport(new URL('/mcp', nextUrl()), { requestInit })
      : new SSEClientTransport(new URL('/mcp/sse', nextUrl()), { requestInit })
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
