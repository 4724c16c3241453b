import assert from 'node:assert/strict'
import { SourceError } from '../market/source-error.ts'
import { openTestDatabase } from '../storage/database.test-support.ts'
import { chats, messages } from '../storage/schema/chat.ts'
import { MAX_STORED_MESSAGES } from './chat-store.ts'
import { FIRST_WORD_MS } from './chat-streams.ts'
import { SILENCE_MS } from './chat-turns.ts'
import { type ChatWorld, createChatWorld, question, readAnswerText, readEvents, SESSION } from './chat-world.test-support.ts'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })

describe('chat over HTTP', () => {
  let world: ChatWorld
  before(openTestDatabase)
  beforeEach(async () => {
    world = await createChatWorld()
  })
  afterEach(() => world.close())

  async function converse(content: string, answer: string, token?: string) {
    const asked = world.ask('POST', '/chat', question(content), token)
    const turn = await world.agent.next()
    turn.say(answer)
    turn.finish()
    assert.equal((await asked).status, 200)
    return turn.turn
  }

  describe('as a whole', () => {
    it('answers with the sent messages and the reply, and stores both', async () => {
      const asked = world.ask('POST', '/chat', question('price of ETH?'))
      const first = await world.agent.next()
      assert.deepEqual(await world.history(), [user('price of ETH?')], 'the question is stored before the answer begins')
      first.say('2,500 ', 'dollars.')
      first.finish()
      const { status, body } = await asked
      assert.deepEqual([status, body], [200, { messages: [user('price of ETH?'), assistant('2,500 dollars.')] }])
      const turn = await converse('and BTC?', '60,000.')
      assert.deepEqual(turn.messages, [user('price of ETH?'), assistant('2,500 dollars.'), user('and BTC?')])
      assert.equal((await world.history()).length, 4)
    })

    it('stores nothing twice for a client that sends the whole conversation', async () => {
      await converse('one', 'first')
      const sent = [user('one'), assistant('first'), user('two')]
      const asked = world.ask('POST', '/chat', { messages: [{ role: 'system', content: 'be brief' }, ...sent] })
      const turn = await world.agent.next()
      assert.deepEqual(turn.turn.messages, [{ role: 'system', content: 'be brief' }, ...sent])
      turn.say('second')
      turn.finish()
      assert.equal((await asked).body.messages.length, 5)
      assert.deepEqual(await world.history(), [...sent, assistant('second')])
    })

    it('validates messages as the specification says', async () => {
      const issues = async (json: unknown) => {
        const { status, body } = await world.ask('POST', '/chat', json)
        assert.equal(status, 422)
        return body.detail.map(({ type, loc }: { type: string; loc: unknown[] }) => `${type} ${loc.join('.')}`)
      }
      assert.deepEqual(await issues({}), ['missing body.messages'])
      assert.deepEqual(await issues({ messages: [] }), ['too_short body.messages'])
      assert.deepEqual(await issues(question('')), ['string_too_short body.messages.0.content'])
      assert.deepEqual(await issues(question('x'.repeat(3_001))), ['string_too_long body.messages.0.content'])
      assert.deepEqual(await issues({ messages: [user('a'), assistant('b')] }), ['value_error body.messages.1.role'])
      assert.deepEqual(await issues({ messages: [{ role: 'tool', content: 'a' }] }), ['literal_error body.messages.0.role'])
      assert.deepEqual([world.agent.begun, await world.history()], [0, []])
    })

    it('accepts a conversation of any length, and uses its newest hundred messages', async () => {
      const said = Array.from({ length: 1_500 }, (_, i) => (i % 2 === 0 ? user(`q${i}`) : assistant(`a${i}`)))
      const sent = [{ role: 'system', content: 'be brief' }, ...said, user('last')]
      const asked = world.ask('POST', '/chat', { messages: sent })
      const turn = await world.agent.next()
      assert.deepEqual(turn.turn.messages, [sent[0], ...said.slice(-98), user('last')])
      turn.say('yes')
      turn.finish()
      const { status, body } = await asked
      assert.deepEqual([status, body.messages], [200, [...sent, assistant('yes')]])
      assert.deepEqual(await world.history(), [...said.slice(-99), user('last'), assistant('yes')])
      const next = world.ask('POST', '/chat', { messages: [...sent, assistant('yes'), user('and now?')] })
      const second = await world.agent.next()
      assert.deepEqual(second.turn.messages.slice(-3), [user('last'), assistant('yes'), user('and now?')])
      second.say('no')
      second.finish()
      assert.equal((await next).status, 200)
      assert.equal((await world.history()).length, 103)
    })

    it('answers one question of a session at a time, and other sessions meanwhile', async () => {
      const asked = world.ask('POST', '/chat', question('slow'))
      const slow = await world.agent.next()
      const refused = await world.ask('POST', '/chat', question('fast'))
      assert.equal(refused.status, 429)
      assert.match(refused.body.detail, /still being answered/)
      assert.ok(Number(refused.headers['retry-after']) > 0)
      await converse('other session', 'yes', 'ann-too')
      await converse('other user', 'yes', 'bob')
      slow.say('done')
      slow.finish()
      assert.equal((await asked).status, 200)
      assert.deepEqual(await world.history(), [user('slow'), assistant('done')])
    })

    it('reports why there is no answer, and stores a repeated question once', async () => {
      const fail = async (error: unknown, ...said: string[]) => {
        const asked = world.ask('POST', '/chat', question('why?'))
        const turn = await world.agent.next()
        turn.say(...said)
        turn.fail(error)
        return asked
      }
      const away = await fail(new SourceError('model (test)', 'timeout', 'it hangs'), 'half an ')
      assert.deepEqual([away.status, away.body], [503, { detail: 'model (test): it hangs' }])
      assert.ok(Number(away.headers['retry-after']) > 0)
      const unset = await fail(new SourceError('model', 'not-configured', 'no key'))
      assert.deepEqual([unset.status, unset.headers['retry-after']], [503, undefined])
      const broken = await fail(new TypeError('x of undefined'))
      assert.deepEqual([broken.status, broken.body], [500, { detail: 'Internal Server Error' }])
      const asked = world.ask('POST', '/chat', question('why?'))
      ;(await world.agent.next()).finish()
      assert.deepEqual((await asked).body, { detail: 'scripted: it gave no answer' })
      assert.deepEqual(await world.history(), [user('why?')])
      await converse('why?', 'because')
      assert.deepEqual(await world.history(), [user('why?'), assistant('because')])
    })

    it('times out with the endpoint, and aborts the agent', async () => {
      const asked = world.ask('POST', '/chat', question('slow'))
      const { turn } = await world.agent.next()
      await world.clock.advance(30_000)
      assert.equal((await asked).status, 503)
      assert.ok(turn.signal.aborted)
      await converse('slow', 'faster now')
      assert.deepEqual(await world.history(), [user('slow'), assistant('faster now')])
    })

    it('keeps an answer within the length of a message', async () => {
      const asked = world.ask('POST', '/chat', question('all of it'))
      const turn = await world.agent.next()
      for (let i = 0; i < 100; i++) turn.say('The pool holds twelve ether and thirty thousand dollars. ')
      const { status, body } = await asked
      assert.equal(status, 200)
      assert.match(body.messages[1].content, /dollars\. …$/)
      assert.ok(body.messages[1].content.length <= 3_000)
    })

    it('keeps the newest messages of a session', async () => {
      await converse('first', 'kept for long')
      const sessionId = SESSION('ann')
      const rows = Array.from({ length: MAX_STORED_MESSAGES - 2 }, (_, i) => i + 3).map((ordinal) => ({
        sessionId,
        ordinal,
        role: ordinal % 2 === 1 ? ('user' as const) : ('assistant' as const),
        content: String(ordinal),
        createdAt: new Date(0),
      }))
      await world.db.insert(messages).values(rows)
      await world.db.update(chats).set({ lastOrdinal: MAX_STORED_MESSAGES })
      const turn = await converse('last', 'first out')
      assert.deepEqual(turn.messages.slice(-3), [user('999'), assistant('1000'), user('last')])
      const kept = await world.history()
      assert.equal(kept.length, MAX_STORED_MESSAGES)
      assert.deepEqual([kept[0], kept.at(-2), kept.at(-1)], [user('3'), user('last'), assistant('first out')])
    })
  })

  describe('the history', () => {
    it('belongs to its session, and can be deleted', async () => {
      await converse('mine', 'yours')
      assert.deepEqual(await world.history('ann-too'), [])
      const { status, body } = await world.ask('DELETE', '/messages')
      assert.deepEqual([status, body], [200, { message: 'Chat history cleared' }])
      assert.deepEqual(await world.history(), [])
      assert.deepEqual((await converse('again', 'new')).messages, [user('again')])
    })

    it('ends the running answer when it is deleted', async () => {
      const asked = world.ask('POST', '/chat', question('slow'))
      const turn = await world.agent.next()
      await world.ask('DELETE', '/messages')
      assert.equal((await asked).status, 400)
      assert.ok(turn.turn.signal.aborted)
      assert.deepEqual(await world.history(), [])
    })
  })

  describe('as a stream', () => {
    const ask = (content: string, token?: string) => world.stream({ json: question(content), ...(token === undefined ? {} : { token }) })

    it('sends the answer as messages, then [DONE]', async () => {
      const opening = ask('price?')
      const turn = await world.agent.next()
      turn.say('2,500 ')
      const reader = await opening
      assert.equal(reader.status, 200)
      assert.match(String(reader.headers.get('content-type')), /^text\/event-stream/)
      await reader.saw('2,500 ')
      turn.say('dollars.')
      await reader.saw('dollars.')
      turn.finish()
      const text = await reader.end()
      assert.equal(
        text,
        'data: {"role":"assistant","content":"2,500 "}\n\n' + 'data: {"role":"assistant","content":"dollars."}\n\n' + 'data: [DONE]\n\n',
      )
      assert.deepEqual(await world.history(), [user('price?'), assistant('2,500 dollars.')], 'what is done is stored')
    })

    it('answers an early failure with a status, and a later one with an event', async () => {
      const first = ask('price?')
      ;(await world.agent.next()).fail(new SourceError('oracle', 'stale', 'an hour old'))
      const refused = await first
      assert.equal(refused.status, 503)
      assert.match(await refused.end(), /oracle: an hour old/)
      const second = ask('price?')
      const turn = await world.agent.next()
      turn.say('2,500')
      const reader = await second
      turn.fail(new SourceError('oracle', 'stale', 'an hour old'))
      const events = readEvents(await reader.end()).slice(-2)
      assert.deepEqual(events, [
        { id: null, event: 'message', data: '{"role":"assistant","content":"\\n\\nError: oracle: an hour old","error":true}' },
        { id: null, event: 'message', data: '[DONE]' },
      ])
      assert.deepEqual(await world.history(), [user('price?'), assistant('2,500')], 'what was read stays')
      const again = await world.stream({ lastEventId: '3-2' })
      assert.match(
        await again.end(),
        /"content":"500"\}\n\ndata: \{"role":"assistant",.*an hour old","error":true\}\n\ndata: \[DONE\]\n\n$/,
      )
    })

    it('opens without text after a while, sends heartbeats, and ends after five minutes of silence', async () => {
      const opening = ask('slow')
      const { turn } = await world.agent.next()
      await world.clock.advance(FIRST_WORD_MS)
      const reader = await opening
      assert.equal(reader.place(), '2-0')
      await world.clock.advance(20_000)
      await reader.saw(': heartbeat\n\n')
      let over = false
      const ending = reader.end().finally(() => {
        over = true
      })
      for (let ms = 0; ms < SILENCE_MS && !turn.signal.aborted; ms += 10_000) await world.clock.advance(10_000)
      assert.ok(turn.signal.aborted)
      while (!over) await world.clock.advance(0)
      assert.match(await ending, /data: \{"role":"assistant","content":"Error: .*took too long.*","error":true\}\n\ndata: \[DONE\]\n\n$/)
    })

    it('continues when the reader disconnects, and stores the whole answer', async () => {
      const opening = ask('price?')
      const turn = await world.agent.next()
      turn.say('2,500 ')
      const reader = await opening
      const seen = readAnswerText(await reader.saw('2,500 '))
      const lastEventId = reader.place()
      reader.leave()
      turn.say('dollars.')
      turn.finish()
      const rest = await world.stream({ lastEventId })
      assert.equal(seen.said + readAnswerText(await rest.end()).said, '2,500 dollars.')
      assert.deepEqual(await world.history(), [user('price?'), assistant('2,500 dollars.')])
      const post = await world.stream({ json: question('price?'), lastEventId })
      assert.equal(readAnswerText(await post.end()).said, 'dollars.')
      assert.equal(world.agent.begun, 1)
    })

    it('can be followed by several readers from its beginning', async () => {
      const opening = ask('price?')
      const turn = await world.agent.next()
      turn.say('2,500 ')
      const readers = [await opening, await world.stream(), await world.stream({ query: '?last_event_id=2-2' })]
      turn.say('dollars.')
      turn.finish()
      const texts = await Promise.all(readers.map((reader) => reader.end()))
      assert.deepEqual(
        texts.map((text) => readAnswerText(text).said),
        ['2,500 dollars.', '2,500 dollars.', '500 dollars.'],
      )
      const nothing = await world.stream()
      assert.equal(nothing.status, 404)
    })

    it('compares ids as numbers', async () => {
      const opening = ask('count')
      const turn = await world.agent.next()
      for (let i = 0; i < 12; i++) turn.say(String(i % 10))
      turn.finish()
      await (await opening).end()
      const after = async (id: string) => readAnswerText(await (await world.stream({ lastEventId: id })).end()).said
      assert.deepEqual([await after('2-2'), await after('2-10'), await after('2-12'), await after('2-99')], ['2345678901', '01', '', ''])
    })

    it("refuses another session's id and a malformed one", async () => {
      await converse('a', 'b')
      const opening = ask('secret')
      const turn = await world.agent.next()
      turn.say('for ann')
      const reader = await opening
      await reader.saw('for ann')
      assert.equal(reader.place(), '4-7')
      for (const token of ['bob', 'ann-too']) {
        const foreign = await world.stream({ token, lastEventId: '4-0' })
        assert.equal(foreign.status, 404)
        const posted = await world.stream({ token, json: question('mine'), lastEventId: '4-0' })
        assert.equal(posted.status, 404)
        assert.equal((await world.stream({ token })).status, 404)
      }
      assert.equal((await world.stream({ lastEventId: '1-0' })).status, 404)
      for (const id of ['4', '4-x', '-1-0', '0-0', '4-7-1', '1'.repeat(17)]) {
        const refused = await world.stream({ lastEventId: id })
        assert.equal(refused.status, 422, id)
        assert.deepEqual(JSON.parse(await refused.end()).detail[0].loc, ['header', 'last-event-id'])
      }
      turn.finish()
      await reader.end()
    })

    it('ends with its session, and when the token expires', async () => {
      const opening = ask('slow')
      const turn = await world.agent.next()
      turn.say('well')
      const reader = await opening
      await reader.saw('well')
      world.chat.drop(turn.turn.caller.sessionId)
      assert.match(await reader.end(), /"error":true/)
      const other = ask('slow', 'bob')
      const bobs = await world.agent.next()
      bobs.say('well')
      const second = await other
      await second.saw('well')
      world.expired.add('bob')
      await world.clock.advance(15_000)
      assert.ok(!(await second.end()).includes('[DONE]'))
      world.expired.delete('bob')
      bobs.finish()
      const rest = await world.stream({ token: 'bob', lastEventId: '2-0' })
      assert.equal(readAnswerText(await rest.end()).said, 'well')
    })

    it('ends cleanly when the server stops, and stores the text so far', async () => {
      const opening = ask('slow')
      const turn = await world.agent.next()
      turn.say('so far')
      const reader = await opening
      await reader.saw('so far')
      await world.close()
      assert.match(await reader.end(), /"content":"\\n\\nError: The server is stopping.*","error":true\}\n\ndata: \[DONE\]\n\n$/)
      const later = await createChatWorld({ db: world.db })
      try {
        assert.deepEqual(await later.history(), [user('slow'), assistant('so far')])
      } finally {
        await later.close()
      }
    })

    it('is limited to ten per user', async () => {
      const opening = ask('slow')
      const turn = await world.agent.next()
      turn.say('x')
      const readers = [await opening]
      while (readers.length < 10) readers.push(await world.stream())
      const refused = await world.stream()
      assert.equal(refused.status, 429)
      assert.ok(Number(refused.headers.get('retry-after')) > 0)
      turn.finish()
      for (const reader of readers) await reader.end()
      assert.equal((await world.stream({ lastEventId: '2-0' })).status, 200)
      assert.match((await world.metrics.render()).text, /test_chat_turns_total\{outcome="answered"\} 1/)
    })

    it('has no body for HEAD', async () => {
      await converse('a', 'b')
      const response = await fetch(`${world.server.url}/api/v1/chatbot/chat/stream?last_event_id=2-0`, {
        method: 'HEAD',
        headers: { authorization: 'Bearer ann' },
      })
      assert.deepEqual([response.status, await response.text()], [200, ''])
    })
  })
})
