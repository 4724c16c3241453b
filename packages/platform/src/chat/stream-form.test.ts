import assert from 'node:assert/strict'
import { SourceError } from '../market/source-error.ts'
import { openTestDatabase } from '../storage/database.test-support.ts'
import { type ChatWorld, createChatWorld, question } from './chat-world.test-support.ts'

describe('the form of a streamed answer', () => {
  let world: ChatWorld
  before(openTestDatabase)
  beforeEach(async () => {
    world = await createChatWorld()
  })
  afterEach(() => world.close())
  const ask = (content: string) => world.stream({ json: question(content) })

  it('consists of data lines and comments', async () => {
    const opening = ask('slow')
    const turn = await world.agent.next()
    turn.say('a line\nand another', ' ', 'data: [DONE]\n\n')
    const reader = await opening
    await reader.saw('DONE')
    await world.clock.advance(15_000)
    await reader.saw(': heartbeat\n\n')
    turn.fail(new SourceError('oracle', 'stale', 'an\nhour old'))
    const blocks = (await reader.end()).split('\n\n')
    assert.equal(blocks.pop(), '')
    assert.equal(blocks.pop(), 'data: [DONE]')
    const messages = blocks.filter((block) => block !== ': heartbeat')
    for (const block of messages) {
      assert.match(block, /^data: [^\n]*$/)
      const { role, content } = JSON.parse(block.slice('data: '.length))
      assert.ok(role === 'assistant' && content.length > 0, block)
    }
    assert.ok(messages.length >= 2)
  })

  it('has ids for readers that reconnect automatically', async () => {
    const opening = ask('price?')
    const turn = await world.agent.next()
    turn.say('2,500 ')
    await (await opening).saw('2,500 ')
    const follower = await world.stream()
    await follower.saw('2,500 ')
    turn.say('dollars.')
    turn.finish()
    assert.equal(
      await follower.end(),
      'retry: 2000\n\nid: 2-0\n\n' +
        'id: 2-6\ndata: {"role":"assistant","content":"2,500 "}\n\n' +
        'id: 2-14\ndata: {"role":"assistant","content":"dollars."}\n\n' +
        'data: [DONE]\n\n',
    )
    assert.equal(follower.headers.get('x-chat-turn'), '2')
  })
})
