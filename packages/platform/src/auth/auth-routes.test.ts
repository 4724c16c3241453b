import assert from 'node:assert/strict'
import { Secret } from '@keelson/runtime'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { users } from '../storage/schema/auth.ts'
import { type AuthWorld, createAuthWorld, PASSWORD, START_MS } from './auth-world.test-support.ts'
import type { TokenKey } from './token-keys.ts'

const REGISTER = '/api/v1/auth/register'
const LOGIN = '/api/v1/auth/login'
const SESSION = '/api/v1/auth/session'
const SESSIONS = '/api/v1/auth/sessions'

describe('users, tokens and sessions', () => {
  let world: AuthWorld
  beforeEach(async () => {
    world = await createAuthWorld()
  })
  afterEach(() => world.close())

  const login = (username: string, password = PASSWORD, ip?: string) =>
    world.ask('POST', LOGIN, { form: { username, password, grant_type: 'password' }, ...(ip === undefined ? {} : { ip }) })
  const newSession = async (token: string) => (await world.ask('POST', SESSION, { token })).body
  const assert401 = ({ status, headers, body }: Awaited<ReturnType<typeof login>>) => {
    assert.equal(status, 401, JSON.stringify(body))
    assert.equal(headers['www-authenticate'], 'Bearer')
    assert.equal(typeof body.detail, 'string')
  }

  it('registers a user, with id, address and a token', async () => {
    const { status, body } = await world.ask('POST', REGISTER, { json: { email: 'Ann@Example.org', password: PASSWORD } })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body).sort(), ['email', 'id', 'token'])
    assert.equal(body.email, 'ann@example.org')
    assert.equal(body.id, 1)
    assert.equal(body.token.token_type, 'bearer')
    assert.equal(body.token.expires_at, new Date(START_MS + 3_600_000).toISOString())
    assert.equal(decodeJwt(body.token.access_token).aud, 'keelson:user')
    assert.equal(decodeProtectedHeader(body.token.access_token).kid, 'one')
  })

  it('stores an argon2id hash, and accepts an address once in any spelling', async () => {
    await world.register('ann@example.org')
    const [row] = await world.db.select().from(users)
    assert.match(row?.passwordHash ?? '', /^\$argon2id\$v=19\$/)
    const twice = await world.ask('POST', REGISTER, { json: { email: 'ANN@example.org', password: 'another password' } })
    assert.deepEqual([twice.status, twice.body], [400, { detail: 'Email already registered' }])
  })

  it('names the invalid fields of a registration', async () => {
    const { status, body } = await world.ask('POST', REGISTER, { json: { email: 'nobody', password: 'short' } })
    assert.equal(status, 422)
    assert.deepEqual(
      body.detail.map(({ type, loc, input }: { type: string; loc: unknown; input: unknown }) => [type, loc, input]),
      [
        ['value_error', ['body', 'email'], 'nobody'],
        ['string_too_short', ['body', 'password'], '**********'],
      ],
    )
    for (const email of ['a.'.repeat(4_000_000), `a@${'b.'.repeat(4_000_000)}`]) {
      const long = await world.ask('POST', REGISTER, { json: { email, password: PASSWORD } })
      assert.deepEqual([long.status, long.body.detail[0].type], [422, 'string_too_long'])
    }
    const missing = await world.ask('POST', REGISTER, { json: {} })
    assert.deepEqual(
      missing.body.detail.map(({ type }: { type: string }) => type),
      ['missing', 'missing'],
    )
  })

  it('logs in by form, with the fields of a token at the top', async () => {
    await world.register('ann@example.org')
    const { status, body } = await login(' Ann@Example.ORG ')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body).sort(), ['access_token', 'expires_at', 'token_type'])
    const noType = await world.ask('POST', LOGIN, { form: { username: 'ann@example.org', password: PASSWORD } })
    assert.equal(noType.status, 200)
    const empty = await world.ask('POST', LOGIN, { form: { grant_type: 'other' } })
    assert.deepEqual(
      empty.body.detail.map(({ type, loc }: { type: string; loc: unknown }) => [type, loc]),
      [
        ['missing', ['body', 'username']],
        ['missing', ['body', 'password']],
        ['literal_error', ['body', 'grant_type']],
      ],
    )
  })

  it('answers a wrong password and an unknown user alike', async () => {
    await world.register('ann@example.org')
    const [wrong, unknown] = [await login('ann@example.org', 'not the password'), await login('bob@example.org')]
    for (const answer of [wrong, unknown]) assert401(answer)
    assert.deepEqual(wrong.body, unknown.body)
  })

  it('slows down guessing, also in parallel, without locking the owner out elsewhere', async () => {
    await world.register('ann@example.org')
    const guesses = await Promise.all(Array.from({ length: 12 }, () => login('ann@example.org', 'guess guess')))
    const count = (status: number) => guesses.filter((answer) => answer.status === status).length
    assert.deepEqual([count(401), count(429)], [5, 7])
    const refused = await login('ann@example.org')
    assert.equal(refused.status, 429)
    assert.equal(refused.headers['retry-after'], '180')
    assert.equal((await login('ann@example.org', PASSWORD, '198.51.100.7')).status, 200)
    await world.clock.advance(180_000)
    assert.equal((await login('ann@example.org')).status, 200)
    for (let i = 0; i < 8; i++) assert.equal((await login('ann@example.org')).status, 200)
  })

  it('lets owners in from known addresses, whatever others guess', async () => {
    await world.register('ann@example.org')
    const home = '198.51.100.7'
    assert.equal((await login('ann@example.org', PASSWORD, home)).status, 200)
    for (let address = 0; address < 11; address++)
      for (let guess = 0; guess < 5; guess++) await login('ann@example.org', 'guess guess', `203.0.113.${address}`)
    assert.equal((await login('ann@example.org', PASSWORD, '192.0.2.99')).status, 429)
    assert.equal((await login('ann@example.org', PASSWORD, home)).status, 200)
    const statuses: number[] = []
    for (let guess = 0; guess < 6; guess++) statuses.push((await login('ann@example.org', 'guess guess', home)).status)
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
    await world.clock.advance(30 * 24 * 3_600_000)
    for (let guess = 0; guess < 50; guess++) await login('ann@example.org', 'guess guess', `203.0.113.${100 + guess}`)
    assert.equal((await login('ann@example.org', PASSWORD, home)).status, 429)
  })

  it('limits the guesses of one address over all accounts', async () => {
    const statuses = await Promise.all(Array.from({ length: 60 }, async (_, i) => (await login(`user${i}@example.org`)).status))
    assert.equal(statuses.filter((status) => status === 429).length, 10)
  })

  it('creates sessions with own tokens, and lists them for the user token', async () => {
    const token = await world.register('ann@example.org')
    const first = await newSession(token)
    assert.deepEqual(Object.keys(first).sort(), ['name', 'session_id', 'token'])
    assert.equal(first.name, '')
    assert.equal(decodeJwt(first.token.access_token).aud, 'keelson:session')
    assert.equal(first.token.expires_at, new Date(START_MS + 7_200_000).toISOString())
    await world.clock.advance(1_000)
    const second = await newSession(token)
    await newSession(await world.register('bob@example.org'))
    const { status, body } = await world.ask('GET', SESSIONS, { token })
    assert.equal(status, 200)
    assert.deepEqual(
      body.map(({ session_id }: { session_id: string }) => session_id),
      [first.session_id, second.session_id],
    )
    assert.equal(body[0].token.expires_at, new Date(START_MS + 7_201_000).toISOString())
    assert.equal((await world.ask('GET', SESSIONS, { token: body[0].token.access_token })).status, 200)
  })

  it('shows a session token no other session, and does not renew it', async () => {
    const token = await world.register('ann@example.org')
    const [mine] = [await newSession(token), await newSession(token)]
    await world.clock.advance(3_600_000)
    const { access_token: bearer } = mine.token
    assert.deepEqual((await world.ask('GET', SESSIONS, { token: bearer })).body, [mine])
    const renamed = await world.ask('PATCH', `${SESSION}/${mine.session_id}/name`, { token: bearer, form: { name: 'new' } })
    assert.deepEqual(renamed.body, { ...mine, name: 'new' })
  })

  it('renames a session by its own token only', async () => {
    const token = await world.register('ann@example.org')
    const [one, two] = [await newSession(token), await newSession(token)]
    const rename = (bearer: string, id: string, name: string) =>
      world.ask('PATCH', `${SESSION}/${id}/name`, { token: bearer, form: { name } })
    const renamed = await rename(one.token.access_token, one.session_id, 'Plans & swaps')
    assert.deepEqual([renamed.status, renamed.body.name, renamed.body.session_id], [200, 'Plans & swaps', one.session_id])
    const listed = (await world.ask('GET', SESSIONS, { token })).body as { session_id: string; name: string }[]
    assert.equal(listed.find(({ session_id }) => session_id === one.session_id)?.name, 'Plans & swaps')
    assert.equal(listed.find(({ session_id }) => session_id === two.session_id)?.name, '')
    for (const other of [two.session_id, 'no-such-session']) {
      const { status, body } = await rename(one.token.access_token, other, 'x')
      assert.deepEqual([status, body], [403, { detail: 'This token belongs to another session' }])
    }
    assert401(await rename(token, one.session_id, 'x'))
    const long = await rename(one.token.access_token, one.session_id, 'x'.repeat(101))
    assert.deepEqual([long.status, long.body.detail[0].ctx], [422, { max_length: 100 }])
    assert.equal((await rename(one.token.access_token, one.session_id, '')).body.detail[0].type, 'missing')
  })

  it('ends a deleted session at once', async () => {
    const token = await world.register('ann@example.org')
    const [one, two] = [await newSession(token), await newSession(token)]
    const remove = (bearer: string, id: string) => world.ask('DELETE', `${SESSION}/${id}`, { token: bearer })
    assert.equal((await remove(one.token.access_token, two.session_id)).status, 403)
    assert.deepEqual((await remove(one.token.access_token, one.session_id)).body, { message: 'Session deleted' })
    assert401(await remove(one.token.access_token, one.session_id))
    assert401(await world.ask('GET', SESSIONS, { token: one.token.access_token }))
    assert.equal((await world.ask('GET', SESSIONS, { token })).body.length, 1)
  })

  it('accepts a token only for its tier, lifetime, key and user', async () => {
    const token = await world.register('ann@example.org')
    const session = (await newSession(token)).token.access_token
    assert401(await world.ask('POST', SESSION))
    assert401(await world.ask('POST', SESSION, { token: session }))
    assert401(await world.ask('POST', SESSION, { token: `${token.slice(0, -4)}AAAA` }))
    const forged = (key: Uint8Array, kid: string, sub: string) =>
      new SignJWT({})
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid })
        .setIssuer('keelson-platform')
        .setAudience('keelson:user')
        .setSubject(sub)
        .setIssuedAt(START_MS / 1000)
        .setExpirationTime(START_MS / 1000 + 60)
        .sign(key)
    const ours = new Uint8Array(32).fill(1)
    assert.equal((await world.ask('POST', SESSION, { token: await forged(ours, 'one', '1') })).status, 200)
    assert401(await world.ask('POST', SESSION, { token: await forged(new Uint8Array(32), 'one', '1') }))
    assert401(await world.ask('POST', SESSION, { token: await forged(ours, 'two', '1') }))
    assert401(await world.ask('POST', SESSION, { token: await forged(ours, 'one', '99') }))
    const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt","kid":"one"}').toString('base64url')}.${token.split('.')[1]}.`
    assert401(await world.ask('POST', SESSION, { token: unsigned }))
    await world.clock.advance(3_600_000)
    assert401(await world.ask('POST', SESSION, { token }))
    assert.equal((await world.ask('GET', SESSIONS, { token: session })).status, 200)
    await world.clock.advance(3_600_000)
    assert401(await world.ask('GET', SESSIONS, { token: session }))
  })

  it('accepts tokens of the previous key, and signs with the new one', async () => {
    const token = await world.register('ann@example.org')
    const key = (kid: string, byte: number): TokenKey => ({ kid, secret: new Secret(new Uint8Array(32).fill(byte)) })
    const rotated = await createAuthWorld({ tokenKeys: [key('two', 2), key('one', 1)] }, world.db)
    const made = await rotated.ask('POST', SESSION, { token })
    assert.equal(made.status, 200)
    assert.equal(decodeProtectedHeader(made.body.token.access_token).kid, 'two')
    await rotated.close()
    const without = await createAuthWorld({ tokenKeys: [key('two', 2)] }, world.db)
    assert401(await without.ask('POST', SESSION, { token }))
    await without.close()
  })

  it('reports health in both forms', async () => {
    await world.clock.advance(3_725_000)
    assert.deepEqual((await world.ask('GET', '/health')).body, {
      status: 'healthy',
      environment: 'test',
      version: '1.2.3',
      uptime: '1h 2m 5s',
    })
    const timestamp = new Date(START_MS + 3_725_000).toISOString()
    assert.deepEqual((await world.ask('GET', '/api/v1/health')).body, { status: 'healthy', version: '1.2.3', timestamp })
  })

  it('answers an unknown path and a wrong method in the same form', async () => {
    assert.deepEqual((await world.ask('GET', '/api/v1/nothing')).body, { detail: 'Not Found' })
    const wrong = await world.ask('GET', LOGIN)
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'POST'])
  })
})
