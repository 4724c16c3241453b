import assert from 'node:assert/strict'
import fc from 'fast-check'
import { openTestDatabase } from '../storage/database.test-support.ts'
import { type ChatWorld, createChatWorld, question, readAnswerText, type StreamReader } from './chat-world.test-support.ts'

const fragment = fc.oneof(fc.string({ minLength: 1, maxLength: 12 }), fc.constantFrom('😀', '\n\n', 'data: [DONE]\n\n', 'é', '" \\'))
const fragments = fc.array(fragment, { minLength: 1, maxLength: 12 }).filter((all) => all.join('').trim() !== '')
const cuts = fc.array(fc.record({ more: fc.nat(4), at: fc.double({ min: 0, max: 1, noNaN: true }) }), { maxLength: 5 })

describe('a streamed answer', () => {
  let world: ChatWorld
  before(openTestDatabase)
  beforeEach(async () => {
    world = await createChatWorld()
  })
  afterEach(() => world.close())

  it('equals the stored one, however often it was cut and resumed', async () => {
    await fc.assert(
      fc.asyncProperty(fragments, cuts, async (all, cutting) => {
        const opening = world.stream({ json: question('q') })
        const turn = await world.agent.next()
        let said = 0
        const say = (count: number) => {
          turn.say(...all.slice(said, said + count))
          said = Math.min(all.length, said + count)
        }
        say(1)
        let reader: StreamReader = await opening
        const number = reader.headers.get('x-chat-turn')
        let text = ''
        for (const { more, at } of cutting) {
          say(more)
          const upTo = `${number}-${all.slice(0, said).join('').length}`
          const came = new TextEncoder().encode(await reader.saw(() => reader.place() === upTo))
          reader.leave()
          const read = readAnswerText(new TextDecoder().decode(came.slice(0, Math.floor(at * came.length))))
          text += read.said
          const lastEventId = `${number}-${text.length}`
          assert.ok(read.lastId === null || read.lastId === lastEventId)
          reader = await world.stream({ lastEventId })
        }
        say(all.length)
        turn.finish()
        const rest = readAnswerText(await reader.end())
        assert.ok(rest.done)
        assert.equal(text + rest.said, all.join(''))
        assert.equal((await world.history()).at(-1)?.content, all.join(''))
      }),
      { numRuns: 60 },
    )
  })
})
