/** Every acknowledged write must be kept. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { eventually } from '../eventually.ts'
import type { PlatformUser } from './platform-user.ts'

const API = '/api/v1'
const WRITERS = 3
const MAX_TRADES = 200
const MAX_CHATS = 100
const EXECUTIONS = 5
const INSIST_MS = 120_000

export interface WritersInput {
  readonly chainId: number
  readonly wallet: string
  readonly order: object
  readonly executePath: string
}

export interface PlatformWriters {
  acknowledged(): { readonly trades: number; readonly chats: number; readonly executions: number }
  startBooks(): void
  broken(): Promise<{ readonly broken: number }>
  checkConversations(): Promise<void>
  insistOnExecutions(settle: (executionId: string) => Promise<`0x${string}`>): Promise<ReadonlySet<`0x${string}`>>
  checkVolume(tradedUsd: number): Promise<void>
}

interface Trade {
  readonly session: PlatformUser
  readonly json: { readonly agent: string; readonly amount_in_usd: number }
  acknowledged: boolean
}

interface Order {
  readonly key: string
  executionId: string | null
}

interface Conversation {
  readonly session: PlatformUser
  readonly messages: unknown[]
}

export async function createPlatformWriters(
  user: PlatformUser,
  { chainId, wallet, order, executePath }: WritersInput,
): Promise<PlatformWriters> {
  const sessions = await Promise.all(Array.from({ length: WRITERS }, () => user.anotherSession()))
  const trades: Trade[] = []
  const conversations: Conversation[] = sessions.map((session) => ({ session, messages: [] }))
  const orders: Order[] = Array.from({ length: EXECUTIONS }, () => ({ key: randomBytes(12).toString('hex'), executionId: null }))
  const work: Promise<void>[] = []
  let broken = 0
  let over = false

  async function writing(session: PlatformUser, path: string, asking: Parameters<PlatformUser['ask']>[2]) {
    const answer = await session.ask('POST', path, asking).catch(() => null)
    if (answer === null || answer.status === 503) {
      broken++
      over = true
      return null
    }
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`)
    return answer
  }

  async function tradeOn(session: PlatformUser, writer: number): Promise<void> {
    for (let n = 1; n <= MAX_TRADES && !over; n++) {
      const trade: Trade = { session, json: tradeJson(`writer-${writer}-${n}`, n, chainId, wallet), acknowledged: false }
      trades.push(trade)
      if ((await writing(session, `${API}/metrics/trades`, { json: trade.json })) === null) return
      trade.acknowledged = true
    }
  }

  async function chatOn({ session, messages }: Conversation): Promise<void> {
    for (let n = 1; n <= MAX_CHATS && !over; n++) {
      const asked = [{ role: 'user', content: `Is bitcoin address 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa valid? (${n})` }]
      const answer = await writing(session, `${API}/chatbot/chat`, { json: { messages: asked } })
      if (answer === null) return
      messages.push(...answer.body.messages)
    }
  }

  async function execute(to: Order): Promise<void> {
    // "busy" means that another execution of the wallet runs first.
    for (;;) {
      const answer = await user.ask('POST', executePath, { json: order, headers: { 'idempotency-key': to.key } }).catch(() => null)
      if (answer === null) {
        broken++
        return
      }
      if (answer.status === 503 && !over) continue
      if (answer.status === 503) return
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      to.executionId = answer.headers.get('x-execution-id')
      return
    }
  }

  for (const one of orders) work.push(execute(one))

  return {
    acknowledged: () => ({
      trades: trades.filter(({ acknowledged }) => acknowledged).length,
      chats: conversations.reduce((sum, { messages }) => sum + messages.length / 2, 0),
      executions: orders.filter(({ executionId }) => executionId !== null).length,
    }),
    startBooks() {
      for (const [writer, session] of sessions.entries()) work.push(tradeOn(session, writer))
      for (const conversation of conversations) work.push(chatOn(conversation))
    },
    async broken() {
      let done = false
      over = true
      const all = Promise.all(work).then(() => {
        done = true
      })
      await eventually('an answer or a failure for every request', async () => done)
      await all
      return { broken }
    },
    async checkConversations() {
      for (const { session, messages } of conversations) {
        const kept = (await session.get('GET', `${API}/chatbot/messages`)).messages
        assert.deepEqual(kept.slice(0, messages.length), messages)
        assert.ok(kept.length <= messages.length + 2, `${kept.length - messages.length} messages were never sent`)
      }
    },
    async insistOnExecutions(settle) {
      const hashes = await Promise.all(
        orders.map(async ({ key, executionId }) => {
          const answer = await user.insist('POST', executePath, { json: order, headers: { 'idempotency-key': key } }, INSIST_MS)
          assert.equal(answer.status, 200, JSON.stringify(answer.body))
          const id = answer.headers.get('x-execution-id') as string
          if (executionId !== null) assert.equal(id, executionId)
          return settle(id)
        }),
      )
      const distinct = new Set(hashes)
      assert.equal(distinct.size, orders.length)
      return distinct
    },
    async checkVolume(tradedUsd) {
      const volumes = async () => {
        const { by_agent, total_volume_usd } = await user.get('GET', `${API}/metrics/volume`)
        return { total: total_volume_usd as number, of: new Map<string, number>(by_agent.map(({ key, value }: Entry) => [key, value])) }
      }
      const first = await volumes()
      for (const { json, acknowledged } of trades) {
        const volume = first.of.get(json.agent)
        if (acknowledged || volume !== undefined) assert.equal(volume, json.amount_in_usd, `volume of ${json.agent}`)
      }
      for (const { session, json } of trades.filter(({ acknowledged }) => !acknowledged)) {
        const answer = await session.insist('POST', `${API}/metrics/trades`, { json }, INSIST_MS)
        assert.deepEqual([answer.status, answer.body.duplicate], [200, first.of.has(json.agent)])
      }
      const last = await volumes()
      assert.equal(last.of.size, trades.length + 1)
      for (const { json } of trades) assert.equal(last.of.get(json.agent), json.amount_in_usd, `volume of ${json.agent}`)
      const expected = trades.reduce((sum, { json }) => sum + json.amount_in_usd, tradedUsd)
      assert.ok(Math.abs(last.total - expected) < 1e-6, `volume is ${last.total}, expected ${expected}`)
    },
  }
}

interface Entry {
  readonly key: string
  readonly value: number
}

function tradeJson(agent: string, usd: number, chainId: number, wallet: string) {
  return {
    agent,
    wallet_address: wallet,
    chain_id: chainId,
    venue: 'by hand',
    status: 'success',
    simulated: false,
    token_in_address: `0x${'11'.repeat(20)}`,
    token_out_address: `0x${'22'.repeat(20)}`,
    token_in_symbol: 'ONE',
    token_out_symbol: 'TWO',
    amount_in: '1',
    amount_out: '2',
    amount_in_usd: usd,
    amount_out_usd: usd,
    fees_usd: 0,
    tx_hash: `0x${randomBytes(32).toString('hex')}`,
  }
}
