import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Logger } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import { createMemoryRateLimits } from './rate-limit-store.ts'
import { createRedisRateLimits } from './redis-rate-limits.ts'

const LIMIT = { requests: 2, windowMs: 60_000 }

async function deadUrl(): Promise<string> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `redis://:hidden-word@127.0.0.1:${port}`
}

function recordingLog() {
  const lines: string[] = []
  const write = (message: string, fields: object = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log }
  return { lines, log }
}

describe('rate limits in Redis', () => {
  it('are counted locally while Redis is away, which is logged once without the password', async () => {
    const url = await deadUrl()
    const { lines, log } = recordingLog()
    const limits = createRedisRateLimits(url, createMemoryRateLimits(createManualClock(1_000)), log)
    const verdicts = [await limits.take('key', LIMIT), await limits.take('key', LIMIT), await limits.take('key', LIMIT)]
    assert.deepEqual(
      verdicts.map(({ allowed }) => allowed),
      [true, true, false],
    )
    await limits.forget('key')
    assert.equal((await limits.take('key', LIMIT)).remaining, 1)
    await limits.close()
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /^Redis is unavailable/)
    assert.ok(!lines.join().includes('hidden-word'))
  })
})
