import assert from 'node:assert/strict'
import { ApiError } from '../http/api-error.ts'
import { openTestDatabase } from '../storage/database.test-support.ts'
import { chats } from '../storage/schema/chat.ts'
import { TURN_LEASE_MS } from './chat-store.ts'
import { type ChatWorld, createChatWorld, question, readAnswerText } from './chat-world.test-support.ts'

describe('chat with several servers', () => {
  let world: ChatWorld
  before(openTestDatabase)
  beforeEach(async () => {
    world = await createChatWorld()
  })
  afterEach(() => world.close())

  it('resumes at another server once the answer is stored, and detects a dead server', async () => {
    const other = await createChatWorld({ db: world.db, clock: world.clock })
    try {
      const opening = world.stream({ json: question('price?') })
      const turn = await world.agent.next()
      turn.say('2,500 ')
      const reader = await opening
      await reader.saw('2,500 ')
      assert.equal((await other.ask('POST', '/chat', question('me too'))).status, 429)
      const rest = await other.stream({ lastEventId: reader.place() })
      await rest.saw('id: 2-6\n\n')
      turn.say('dollars.')
      turn.finish()
      await (await opening).end()
      const [said] = await Promise.all([rest.end(), advanceUntilDone(world, rest)])
      assert.equal(readAnswerText(said).said, 'dollars.')
      const asked = world.ask('POST', '/chat', question('lost?'))
      await world.agent.next()
      await world.db.update(chats).set({ turnUntil: new Date(world.clock.nowMs() + 5_000) })
      const lost = await other.stream()
      assert.equal(lost.status, 200)
      await Promise.all([lost.end(), advanceUntilDone(world, lost, 9_000)])
      assert.match(await lost.end(), /"content":"Error: The answer was interrupted.*","error":true\}\n\ndata: \[DONE\]\n\n$/)
      await world.clock.advance(TURN_LEASE_MS)
      assert.notEqual((await asked).status, 200)
    } finally {
      await other.close()
    }
  })
})

async function advanceUntilDone(world: ChatWorld, reader: { end(): Promise<string> }, limitMs = 60_000): Promise<void> {
  let over = false
  void reader.end().finally(() => {
    over = true
  })
  for (let ms = 0; ms < limitMs && !over; ms += 250) {
    await world.clock.advance(250)
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (!over) throw new ApiError(503, 'the stream did not end')
}
