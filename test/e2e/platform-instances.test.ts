import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { endAllKeelson, type KeelsonProcess, startKeelson } from '../support/keelson-process.ts'
import { ask, newPlatformUser, type PlatformUser } from '../support/platform/platform-user.ts'
import { type PostgresServer, postgresSources } from '../support/postgres.ts'
import { findRedis, type RedisProcess, startRedis } from '../support/redis-process.ts'

interface Instance {
  readonly url: string
  readonly process: KeelsonProcess
}

const HOST = '127.0.0.1'
const SESSIONS = '/api/v1/auth/sessions'
const BOTH = { accept: 'application/json, text/event-stream' }
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
}
const PING = { jsonrpc: '2.0', id: 2, method: 'ping' }
const redis = findRedis()

if (redis === null) describe('platform processes that share Redis, without tests because Redis is not installed', () => undefined)

for (const source of redis === null ? [] : postgresSources()) {
  describe(`platform processes that share ${source.name} and ${redis?.version}`, () => {
    let server: PostgresServer
    let database: Awaited<ReturnType<PostgresServer['createDatabase']>>
    let shared: RedisProcess
    let folder: string
    let first: Instance
    let second: Instance
    let user: PlatformUser
    before(async () => {
      const { spare } = await claimE2ePorts()
      server = await source.open()
      database = await server.createDatabase()
      shared = await startRedis(redis as NonNullable<typeof redis>, spare)
      folder = mkdtempSync(join(tmpdir(), 'keelson-platforms-'))
      const env = {
        DATABASE_URL: database.url,
        KEELSON_TOKEN_KEYS: `shared:${randomBytes(32).toString('hex')}`,
        KEELSON_REDIS_URL: shared.url,
      }
      const start = (port: number): Instance => {
        const ports = ['--http.port', String(port), '--metrics.port', String(port + 1)]
        return {
          url: `http://${HOST}:${port}`,
          process: startKeelson(['platform', '--data-dir', join(folder, String(port)), ...ports], { env }),
        }
      }
      first = start(spare + 1)
      second = start(spare + 3)
      for (const { url, process } of [first, second]) {
        await eventually(`the platform at ${url}: ${process.output()}`, async () => (await fetch(`${url}/health`)).ok)
      }
      user = await newPlatformUser(() => first.url)
    })
    after(async () => {
      await endAllKeelson()
      await shared?.remove()
      await database?.drop()
      await server?.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    const remaining = async ({ url }: Instance) => {
      const { status, headers } = await ask(url, 'GET', SESSIONS, { token: user.token })
      assert.equal(status, 200)
      return Number(headers.get('ratelimit-remaining'))
    }
    const mcp = ({ url }: Instance, json: object, session?: string) =>
      ask(url, 'POST', '/mcp', {
        token: user.token,
        json,
        headers: { ...BOTH, ...(session === undefined ? {} : { 'mcp-session-id': session }) },
      })

    it('count the requests of a caller together', async () => {
      await eventually('a count of both', async () => {
        const before = await remaining(first)
        const [there, here] = [await remaining(second), await remaining(first)]
        return there === before - 1 && here === before - 2
      })
    })

    it('keep a user logged in when the one that logged the user in is killed, and say when to open a session of the tool protocol again', async () => {
      const session = (await mcp(first, INITIALIZE)).headers.get('mcp-session-id') as string
      assert.equal((await mcp(first, PING, session)).status, 200)
      const before = await remaining(first)
      await first.process.kill()
      assert.ok((await remaining(second)) < before, 'the count goes on')
      const lost = await mcp(second, PING, session)
      assert.equal(lost.status, 404)
      assert.match(JSON.stringify(lost.body), /This server has no session of the tool protocol with this id for this token: open one/)
      const again = (await mcp(second, INITIALIZE)).headers.get('mcp-session-id') as string
      assert.equal((await mcp(second, PING, again)).status, 200)
      const another = await newPlatformUser(() => second.url)
      assert.notEqual(another.token, user.token)
    })

    it('answer while Redis is killed, and count alone', async () => {
      await shared.stop()
      const before = await remaining(second)
      assert.equal(await remaining(second), before - 1)
      assert.match(second.process.output(), /Redis is unavailable/)
      await shared.start()
      await eventually('Redis again', async () => {
        await remaining(second)
        return second.process.output().includes('Redis is available again')
      })
    })
  })
}
