import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Logger } from '@keelson/primitives'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import { eventually } from '../../../../test/support/eventually.ts'
import { findRedis, startRedis } from '../../../../test/support/redis-process.ts'
import { openTestDatabase } from '../storage/database.test-support.ts'
import { createChatWorld, question, readAnswerText } from './chat-world.test-support.ts'
import { createRedisTurnHandover } from './redis-turn-handover.ts'

const { KEELSON_TEST_REDIS_URL: redisUrl } = process.env
const installed = findRedis()

describe('answers handed over through Redis', () => {
  before(openTestDatabase)

  it('are not while Redis is away, which is logged once without the password', async () => {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const lines: string[] = []
    const write = (message: string, fields: object = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`)
    const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log }
    const handover = createRedisTurnHandover(`redis://:hidden-word@127.0.0.1:${port}`, { clock: createManualClock(), log })
    handover.publish('s', 1, 'half')
    assert.equal(await handover.read('s', 1), null)
    assert.equal(await handover.read('s', 1), null)
    await handover.close()
    assert.equal(lines.length, 1)
    assert.ok(!lines.join().includes('hidden-word'))
  })

  if (installed !== null)
    it(`are read at another server while they are written, with ${installed.version}`, async () => {
      const redis = await startRedis(installed)
      const deps = { clock: createManualClock(), log: createSilentLogger() }
      const [one, two] = [createRedisTurnHandover(redis.url, deps), createRedisTurnHandover(redis.url, deps)]
      try {
        await eventually('the first text', async () => {
          one.publish('s', 1, 'half')
          return (await two.read('s', 1)) === 'half'
        })
        for (const text of ['half an', 'half an ans', 'half an answer']) one.publish('s', 1, text)
        await eventually('the newest text', async () => (await two.read('s', 1)) === 'half an answer')
        assert.deepEqual([await two.read('s', 2), await two.read('t', 1)], [null, null])
      } finally {
        await one.close()
        await two.close()
        await redis.remove()
      }
    })

  if (redisUrl !== undefined)
    it('resume at another server while they are running', async () => {
      const first = await createChatWorld({ redisUrl })
      const second = await createChatWorld({ redisUrl, db: first.db, clock: first.clock })
      try {
        const opening = first.stream({ json: question('price?') })
        const turn = await first.agent.next()
        turn.say('2,500 ')
        await (await opening).saw('2,500 ')
        turn.say('doll')
        await (await opening).saw('doll')
        const rest = await second.stream({ lastEventId: '2-6' })
        const advancing = { over: false }
        const advance = async () => {
          while (!advancing.over) {
            await first.clock.advance(250)
            await new Promise((resolve) => setImmediate(resolve))
          }
        }
        const done = advance()
        await rest.saw('"doll"')
        assert.deepEqual((await first.history()).length, 1, 'before it is stored')
        turn.say('ars.')
        await rest.saw('"ars."')
        turn.finish()
        assert.equal(readAnswerText(await rest.end()).said, 'dollars.')
        advancing.over = true
        await done
        assert.equal((await second.stream({ token: 'bob', lastEventId: '2-6' })).status, 404)
      } finally {
        await second.close()
        await first.close()
      }
    })
})
