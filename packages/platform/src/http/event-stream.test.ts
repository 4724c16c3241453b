import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createManualClock } from '@keelson/runtime'
import { fastify } from 'fastify'
import { HEARTBEAT_MS, sendEventStream } from './event-stream.ts'

const MAX_SYSTEM_BUFFERS = 32 * 1024 * 1024

describe('an event stream', () => {
  it('requests no more events for a reader that stops reading, and closes at the second heartbeat', async () => {
    const clock = createManualClock()
    const event = `data: ${'x'.repeat(64 * 1024)}\n\n`
    let taken = 0
    async function* endless() {
      for (;;) {
        taken++
        yield event
      }
    }
    const leaving = new AbortController()
    const app = fastify({ forceCloseConnections: true })
    let ended: Promise<void> | undefined
    app.get('/', async (_request, reply) => {
      ended = sendEventStream(reply, endless(), {
        leaving,
        clock,
        bodyless: false,
        stopping: new AbortController().signal,
        isGood: async () => true,
      })
      await ended
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const reader = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    try {
      reader.on('error', () => undefined)
      await once(reader, 'connect')
      reader.pause()
      reader.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      let beats = 0
      for (; !leaving.signal.aborted && beats < 10_000; beats++) await clock.advance(HEARTBEAT_MS)
      await ended
      assert.ok(beats >= 2 && leaving.signal.aborted)
      assert.ok(taken > 0 && taken * event.length < MAX_SYSTEM_BUFFERS, `${taken} events were taken`)
    } finally {
      reader.destroy()
      await app.close()
    }
  })
})
