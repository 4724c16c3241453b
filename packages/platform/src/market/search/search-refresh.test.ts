import assert from 'node:assert/strict'
import { createHttpClient, Secret } from '@keelson/runtime'
import { type JsonServer, openJsonServer } from '../../research/json-server.test-support.ts'
import { SourceError } from '../source-error.ts'
import { createSearchRefresh } from './search-refresh.ts'

describe('the provider of the search tool', () => {
  const http = createHttpClient()
  let server: JsonServer
  before(async () => {
    server = await openJsonServer()
  })
  after(() => {
    http.close()
    server.close()
  })
  const refresh = () => createSearchRefresh({ url: `${server.url}/index/`, key: new Secret('key-1') }, http)(new AbortController().signal)

  it('refreshes, and returns the number of documents', async () => {
    server.answer = () => ({ body: { documents: 12 } })
    assert.deepEqual(await refresh(), { ok: true, value: { status: 'refreshed', documents: 12 } })
    const [asked] = server.asked
    assert.deepEqual([asked?.method, asked?.path, asked?.headers.authorization], ['POST', '/index/refresh', 'Bearer key-1'])
  })

  it('is an error without the key when the answer is unusable', async () => {
    for (const [reply, reason] of [
      [{ status: 500, body: {} }, 'refused'],
      [{ body: { documents: -1 } }, 'bad-answer'],
      [{ body: 'twelve' }, 'bad-answer'],
      [{ status: 308, headers: { location: '/else' } }, 'refused'],
    ] as const) {
      server.answer = () => reply
      await assert.rejects(
        refresh(),
        (error) => error instanceof SourceError && error.reason === reason && !error.message.includes('key-1'),
      )
    }
  })
})
