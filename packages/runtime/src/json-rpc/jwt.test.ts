import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { base64url, SignJWT } from 'jose'
import { createManualClock } from '../clock.ts'
import { fingerprint, Secret } from '../secret.ts'
import { createJwt, type JwtRefusal, verifyJwt } from './jwt.ts'
import { loadJwtSecret } from './jwt-secret.ts'

const secret = new Secret(new Uint8Array(randomBytes(32)))
const other = new Secret(new Uint8Array(randomBytes(32)))
const NOW_SEC = 1_800_000_000
const clock = createManualClock(NOW_SEC * 1000)

async function token(claims: Record<string, unknown>, alg = 'HS256', key = secret) {
  return `Bearer ${await new SignJWT(claims).setProtectedHeader({ alg }).sign(key.reveal())}`
}

async function expectRefusal(header: string | undefined, reason: JwtRefusal, message: RegExp) {
  const verdict = await verifyJwt(header, secret, clock)
  assert.ok(!verdict.ok)
  assert.equal(verdict.reason, reason)
  assert.match(verdict.message, message)
  for (const key of [secret, other]) assert.ok(!verdict.message.includes(Buffer.from(key.reveal()).toString('hex')))
}

describe('JWT', () => {
  it('accepts what createJwt makes, and times up to 60 s off', async () => {
    assert.deepEqual(await verifyJwt(`Bearer ${await createJwt(secret, clock)}`, secret, clock), { ok: true })
    for (const offset of [-60, 60]) assert.ok((await verifyJwt(await token({ iat: NOW_SEC + offset }), secret, clock)).ok)
  })

  it('accepts a token assembled by hand from RFC 7519', async () => {
    const { createHmac } = await import('node:crypto')
    const part = (value: object) => base64url.encode(JSON.stringify(value))
    const signed = `${part({ typ: 'JWT', alg: 'HS256' })}.${part({ iat: NOW_SEC })}`
    const mac = createHmac('sha256', secret.reveal()).update(signed).digest('base64url')
    assert.deepEqual(await verifyJwt(`Bearer ${signed}.${mac}`, secret, clock), { ok: true })
  })

  it('refuses a known token when its time has passed, and one that differs from it in one character', async () => {
    const moving = createManualClock(NOW_SEC * 1000)
    const header = await token({ iat: NOW_SEC })
    for (let i = 0; i < 2; i++) assert.deepEqual(await verifyJwt(header, secret, moving), { ok: true })
    for (const at of [header.length - 20, header.lastIndexOf('.') - 3]) {
      const other = header[at] === 'A' ? 'B' : 'A'
      const verdict = await verifyJwt(header.slice(0, at) + other + header.slice(at + 1), secret, moving)
      assert.equal(verdict.ok, false)
    }
    await moving.advance(61_000)
    const late = await verifyJwt(header, secret, moving)
    assert.equal(late.ok ? '' : late.reason, 'clock-skew')
  })

  it('does not take a token that another secret has verified', async () => {
    const header = await token({ iat: NOW_SEC })
    assert.deepEqual(await verifyJwt(header, secret, clock), { ok: true })
    const verdict = await verifyJwt(header, other, clock)
    assert.equal(verdict.ok ? '' : verdict.reason, 'wrong-secret')
  })

  it('reports a missing token', async () => {
    await expectRefusal(undefined, 'missing', /no token/)
    await expectRefusal('  ', 'missing', /no token/)
  })

  it('reports a malformed token', async () => {
    await expectRefusal('Basic YTpi', 'malformed', /Bearer/)
    await expectRefusal('Bearer abc', 'malformed', /not a JWT/)
    await expectRefusal('Bearer a.b.c', 'malformed', /not a JWT/)
  })

  it('reports another algorithm', async () => {
    await expectRefusal(await token({ iat: NOW_SEC }, 'HS512', new Secret(new Uint8Array(64))), 'wrong-algorithm', /HS512; expected HS256/)
    const none = `Bearer ${base64url.encode('{"alg":"none"}')}.${base64url.encode(`{"iat":${NOW_SEC}}`)}.`
    await expectRefusal(none, 'wrong-algorithm', /none/)
  })

  it('names both fingerprints when the secrets differ, or only ours when the other is unknown', async () => {
    const both = new RegExp(`caller's has fingerprint ${fingerprint(other)}, ours ${fingerprint(secret)}`)
    await expectRefusal(`Bearer ${await createJwt(other, clock)}`, 'wrong-secret', both)
    await expectRefusal(await token({ iat: NOW_SEC }, 'HS256', other), 'wrong-secret', new RegExp(`fingerprint ${fingerprint(secret)}`))
  })

  it('reports the direction and size of a clock difference', async () => {
    await expectRefusal(await token({ iat: NOW_SEC - 61 }), 'clock-skew', /issued 61 s ago.*right time/)
    await expectRefusal(await token({ iat: NOW_SEC + 3600 }), 'clock-skew', /3600 s in the future/)
  })

  it('reports a missing issue time and an expired token', async () => {
    await expectRefusal(await token({}), 'no-issue-time', /iat/)
    await expectRefusal(await token({ iat: 'now' }), 'no-issue-time', /iat/)
    await expectRefusal(await token({ iat: NOW_SEC, exp: NOW_SEC - 1 }), 'expired', /expired 1 s ago/)
  })
})

describe('JWT secret file', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-jwt-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('is created once, with mode 600 and 64 hex digits', async () => {
    const path = join(folder, 'deep', 'jwt.hex')
    const first = await loadJwtSecret(path, { create: true })
    assert.equal(first.created, true)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.match(await readFile(path, 'utf8'), /^0x[0-9a-f]{64}\n$/)
    const second = await loadJwtSecret(path, { create: true })
    assert.equal(second.created, false)
    assert.equal(second.warning, null)
    assert.deepEqual(second.secret.reveal(), first.secret.reveal())
  })

  it('is the same for two processes that create it at once', async () => {
    const path = join(folder, 'jwt.hex')
    const [a, b] = await Promise.all([loadJwtSecret(path, { create: true }), loadJwtSecret(path, { create: true })])
    assert.deepEqual(a.secret.reveal(), b.secret.reveal())
  })

  it('may have 0x or not', async () => {
    const hex = randomBytes(32).toString('hex')
    for (const text of [hex, `0x${hex}\n`, `  ${hex.toUpperCase()}  `]) {
      await writeFile(join(folder, 'j'), text)
      assert.equal(Buffer.from((await loadJwtSecret(join(folder, 'j'))).secret.reveal()).toString('hex'), hex)
    }
  })

  it('is rejected when it is missing or not 32 bytes, without showing it', async () => {
    await assert.rejects(loadJwtSecret(join(folder, 'none')), { code: 'runtime/jwt-secret' })
    for (const text of ['', 'abcd', `${'ab'.repeat(31)}zz`, 'ab'.repeat(33)]) {
      await writeFile(join(folder, 'bad'), text)
      await assert.rejects(loadJwtSecret(join(folder, 'bad')), (error: Error & { code: string }) => {
        assert.equal(error.code, 'runtime/jwt-secret')
        assert.ok(text.length < 10 || !error.message.includes(text))
        return true
      })
    }
  })

  it('warns when others can read it', async () => {
    const path = join(folder, 'open')
    await writeFile(path, randomBytes(32).toString('hex'))
    await chmod(path, 0o644)
    assert.match(String((await loadJwtSecret(path)).warning), /mode 644.*chmod 600/)
  })
})
