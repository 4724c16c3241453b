import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import type { Message } from '../schemas/chat.ts'
import { openTestDatabase } from '../storage/database.test-support.ts'
import type { Database } from '../storage/database.ts'
import { sessions, users } from '../storage/schema/auth.ts'
import { type BegunTurn, ChatStore } from './chat-store.ts'

const SESSION = '00000000-0000-4000-8000-000000000001'
const NOW_MS = Date.parse('2026-01-01T00:00:00Z')
const ask = (content: string): Message => ({ role: 'user', content })
const reply = (content: string): Message => ({ role: 'assistant', content })

describe('the turns of a conversation', () => {
  let db: Database
  beforeEach(async () => {
    db = await openTestDatabase()
    const createdAt = new Date(NOW_MS)
    const [user] = await db.insert(users).values({ email: 'a@example.org', passwordHash: '', createdAt }).returning()
    await db.insert(sessions).values({ id: SESSION, userId: user?.id ?? 0, name: '', createdAt })
  })

  async function begin(store: ChatStore, ...sent: readonly Message[]): Promise<BegunTurn> {
    const begun = await store.begin(SESSION, sent, NOW_MS)
    if (typeof begun === 'string') throw new Error(begun)
    return begun
  }

  async function turn(store: ChatStore, question: string, answer: string): Promise<BegunTurn> {
    const begun = await begin(store, ask(question))
    assert.ok(await store.finish(SESSION, begun.turn, answer, null, NOW_MS))
    return begun
  }

  it('continue on one server as they would on another, and are stored once', async () => {
    const here = new ChatStore(db)
    const said: Message[] = []
    for (let i = 0; i < 4; i++) {
      const begun = await turn(here, `q${i}`, `a${i}`)
      said.push(ask(`q${i}`))
      assert.deepEqual(begun, { turn: 2 * i + 2, context: said })
      said.push(reply(`a${i}`))
    }
    const whole = await begin(here, ...said, ask('q4'))
    assert.deepEqual(whole, { turn: 10, context: [...said, ask('q4')] })
    assert.deepEqual(await new ChatStore(db).list(SESSION), [...said, ask('q4')])
  })

  it('include those of another server', async () => {
    const [here, there] = [new ChatStore(db), new ChatStore(db)]
    await turn(here, 'q0', 'a0')
    await turn(there, 'q1', 'a1')
    const { context } = await turn(here, 'q2', 'a2')
    assert.deepEqual(context, [ask('q0'), reply('a0'), ask('q1'), reply('a1'), ask('q2')])
    assert.deepEqual(await there.list(SESSION), [...context, reply('a2')])
  })

  it('do not repeat messages that were deleted on another server', async () => {
    const [here, there] = [new ChatStore(db), new ChatStore(db)]
    await turn(here, 'q0', 'a0')
    await turn(here, 'q1', 'a1')
    await there.clear(SESSION)
    const { context } = await turn(here, 'q2', 'a2')
    assert.deepEqual(context, [ask('q2')])
    assert.deepEqual(await here.list(SESSION), [ask('q2'), reply('a2')])
  })

  it('are refused while one runs on another server, until its lease expires', async () => {
    const [here, there] = [new ChatStore(db), new ChatStore(db)]
    await turn(here, 'q0', 'a0')
    const running = await begin(there, ask('q1'))
    assert.equal(await here.begin(SESSION, [ask('q2')], NOW_MS), 'busy')
    assert.ok(await there.finish(SESSION, running.turn, null, null, NOW_MS))
    const { context } = await begin(here, ask('q2'))
    assert.deepEqual(context, [ask('q0'), reply('a0'), ask('q1'), ask('q2')])
    assert.equal(await here.begin(SESSION, [ask('q3')], NOW_MS + 1_000), 'busy')
    assert.notEqual(await here.begin(SESSION, [ask('q3')], NOW_MS + 60_000), 'busy')
  })

  it('are refused in a session that was deleted', async () => {
    const here = new ChatStore(db)
    await turn(here, 'q0', 'a0')
    await db.delete(sessions).where(eq(sessions.id, SESSION))
    assert.equal(await here.begin(SESSION, [ask('q1')], NOW_MS), 'no-session')
  })

  it('keep the newest thousand messages', async () => {
    const here = new ChatStore(db)
    for (let i = 0; i < 503; i++) await turn(here, `q${i}`, `a${i}`)
    const kept = await here.list(SESSION)
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [1_000, ask('q3'), reply('a502')])
  }).timeout(60_000)
})
