import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createManualClock } from '@keelson/runtime'
import { createAnswerWatch } from './answer-watch.ts'

const URL_OF_IT = 'http://127.0.0.1:1'
const service = { name: 'platform', answersAt: URL_OF_IT, afterChain: true }

describe('roles that come up after the first screen', () => {
  let said: string[]
  let open: boolean
  let ending: AbortController
  const clock = createManualClock(0)
  const watch = () => createAnswerWatch({ clock, signal: ending.signal, say: (text) => void said.push(text), answers: async () => open })
  beforeEach(() => {
    said = []
    open = false
    ending = new AbortController()
  })

  it('are reported when they answer, and again after a restart', async () => {
    const roles = watch()
    const first = roles.began(service)
    for (let i = 0; i < 4; i++) await clock.advance(250)
    assert.deepEqual(said, [])
    open = true
    await clock.advance(250)
    await first
    await roles.began(service)
    assert.match(String(said[0]), /^platform answers at http:\/\/127\.0\.0\.1:1 after 1\.\d s$/)
    assert.deepEqual(said.slice(1), ['platform is back'])
  })

  it('are reported once if they die while they start, and not at all when the network stops', async () => {
    const roles = watch()
    const died = roles.began(service)
    open = false
    const again = roles.began(service)
    open = true
    await clock.advance(250)
    await Promise.all([died, again])
    assert.deepEqual(said, ['platform is back'])
    open = false
    const stopped = roles.began(service)
    ending.abort()
    await stopped
    assert.equal(said.length, 1)
  })

  it('are silent the first time where the first screen waited for them', async () => {
    open = true
    const roles = watch()
    await roles.began({ name: 'execution', answersAt: URL_OF_IT })
    assert.deepEqual(said, [])
    await roles.began({ name: 'execution', answersAt: URL_OF_IT })
    assert.deepEqual(said, ['execution is back'])
  })

  it('answer when somebody listens at their port', async () => {
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await createAnswerWatch({ clock, signal: ending.signal, say: (text) => void said.push(text) }).began({ ...service, answersAt: url })
    server.close()
    assert.deepEqual(said, [`platform answers at ${url} after 0.0 s`])
  })
})
