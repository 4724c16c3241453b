import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createManualClock, createSilentLogger, Secret } from '@keelson/runtime'
import { type AccountProvider, createGithubAccounts, createLocalAccounts } from './linked-accounts.ts'

const DAY_MS = 86_400_000
const NOW_MS = Date.UTC(2026, 5, 1)
const REDIRECT = 'https://faucet.example/api/verify/callback'
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

describe('a GitHub account', () => {
  let server: Server
  let github: AccountProvider
  let user: Record<string, unknown>
  let broken: string | null
  let granted: Map<string, URLSearchParams>
  const never = new AbortController().signal

  beforeEach(async () => {
    user = { id: 583231, login: 'octocat', created_at: '2011-01-25T18:44:36Z' }
    broken = null
    granted = new Map()
    server = createServer((request, response) => {
      const json = (status: number, body: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      if (broken !== null && request.url?.startsWith(broken)) return json(502, {})
      if (request.url === '/user') {
        return json(request.headers.authorization === 'Bearer gho_x' ? 200 : 401, user)
      }
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        const form = new URLSearchParams(text)
        const asked = granted.get(form.get('code') ?? '')
        const good =
          asked !== undefined &&
          form.get('client_id') === 'id' &&
          form.get('client_secret') === 'hush' &&
          form.get('redirect_uri') === asked.get('redirect_uri') &&
          challengeOf(form.get('code_verifier') ?? '') === asked.get('code_challenge')
        return json(200, good ? { access_token: 'gho_x', token_type: 'bearer' } : { error: 'bad_verification_code' })
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    github = createGithubAccounts(
      { clientId: 'id', clientSecret: new Secret('hush'), minAccountAgeMs: 30 * DAY_MS, url, apiUrl: url, timeoutMs: 60_000 },
      { clock: createManualClock(NOW_MS), log: createSilentLogger() },
    )
  })
  afterEach(async () => {
    github.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const signIn = () => {
    const asked = new URL(github.signInUrl({ state: 's', codeChallenge: challengeOf('verifier'), redirectUri: REDIRECT }))
    granted.set('code', asked.searchParams)
    return github.signIn('code', 'verifier', REDIRECT, never)
  }

  it('is identified by its id after the complete sign-in', async () => {
    assert.deepEqual(await signIn(), { ok: true, account: { id: 'github:583231', login: 'octocat' } })
  })

  it('is refused when it is too young, or the sign-in was started elsewhere', async () => {
    user.created_at = new Date(NOW_MS - 30 * DAY_MS + 1).toISOString()
    assert.equal((await signIn()).ok, false)
    user.created_at = new Date(NOW_MS - 30 * DAY_MS).toISOString()
    assert.equal((await signIn()).ok, true)
    const stolen = await github.signIn('code', 'another verifier', REDIRECT, never)
    assert.deepEqual([stolen.ok, !stolen.ok && stolen.reason], [false, 'refused'])
  })

  it('is unavailable while GitHub fails', async () => {
    for (const path of ['/login', '/user']) {
      broken = path
      const found = await signIn()
      assert.deepEqual([found.ok, !found.ok && found.reason], [false, 'unavailable'], path)
    }
    broken = null
    user = { login: 'octocat' }
    const found = await signIn()
    assert.deepEqual([found.ok, !found.ok && found.reason], [false, 'unavailable'])
  })
})

describe('a local account', () => {
  it('is any well-formed name', async () => {
    const local = createLocalAccounts('http://127.0.0.1:8090')
    const never = new AbortController().signal
    assert.equal(local.signInUrl({ state: 'a.b', codeChallenge: '', redirectUri: '' }), 'http://127.0.0.1:8090/api/verify/local?state=a.b')
    assert.deepEqual(await local.signIn('ann', '', '', never), { ok: true, account: { id: 'local:ann', login: 'ann' } })
    assert.equal((await local.signIn('<script>', '', '', never)).ok, false)
  })
})
