import assert from 'node:assert/strict'
import { MessageChannel } from 'node:worker_threads'
import { createSystemClock, nextTurn } from '@keelson/runtime'
import { createPortClock } from './port-clock.ts'

describe('a clock that reads a port', () => {
  it('delivers at once what cannot wait, and the rest in order when the event loop runs', async () => {
    const { port1, port2 } = new MessageChannel()
    const got: string[] = []
    const receive = (message: string) => {
      if (!message.startsWith('cancel')) return false
      got.push(message)
      return true
    }
    const clock = createPortClock(createSystemClock(), port2, { receive, later: (message) => void got.push(message) })
    for (const message of ['run 1', 'cancel 2', 'run 3']) port1.postMessage(message)
    clock.monotonicMs()
    assert.deepEqual(got, ['cancel 2'])
    await nextTurn()
    assert.deepEqual(got, ['cancel 2', 'run 1', 'run 3'])
    port1.close()
  })
})
