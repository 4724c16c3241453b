/** execution-apis src/engine/authentication.md */
import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '@keelson/primitives'
import { type CryptoKey, compactVerify, decodeProtectedHeader, SignJWT } from 'jose'
import { fingerprint } from '../secret.ts'
import type { JwtSecret } from './jwt-secret.ts'

export const JWT_WINDOW_SEC = 60

export type JwtRefusal = 'missing' | 'malformed' | 'wrong-algorithm' | 'wrong-secret' | 'no-issue-time' | 'clock-skew' | 'expired'

export type JwtVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: JwtRefusal; readonly message: string }

/** Cached, because importing a key costs more than verifying a token. */
const keys = new WeakMap<JwtSecret, Promise<CryptoKey>>()

function keyOf(secret: JwtSecret): Promise<CryptoKey> {
  let key = keys.get(secret)
  if (key === undefined) {
    // WebCrypto's types require an unshared buffer.
    const bytes = Uint8Array.from(secret.reveal())
    key = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
    keys.set(secret, key)
  }
  return key
}

/** Cached, because tokens of the same second are identical. */
const issued = new WeakMap<JwtSecret, { readonly iat: number; readonly token: Promise<string> }>()

/** The secret's fingerprint is the key id, so that the receiver can report a mismatch. */
export function createJwt(secret: JwtSecret, clock: Clock): Promise<string> {
  const iat = Math.floor(clock.nowMs() / 1000)
  const last = issued.get(secret)
  if (last?.iat === iat) return last.token
  const header = { alg: 'HS256', typ: 'JWT', kid: fingerprint(secret) }
  const token = new SignJWT({ iat }).setProtectedHeader(header).sign(secret.reveal())
  issued.set(secret, { iat, token })
  return token
}

export async function verifyJwt(authorization: string | undefined, secret: JwtSecret, clock: Clock): Promise<JwtVerdict> {
  if (authorization === undefined || authorization.trim() === '') {
    return refuse('missing', 'no token: send "Authorization: Bearer <JWT>" signed with the shared secret')
  }
  const token = /^Bearer\s+(\S+)$/i.exec(authorization.trim())?.[1]
  if (token === undefined) return refuse('malformed', 'the Authorization header is not "Bearer <JWT>"')
  const header = readHeader(token)
  if (header === null) return refuse('malformed', 'the token is not a JWT (three base64url parts)')
  if (header.alg !== 'HS256') return refuse('wrong-algorithm', `the token is signed with ${String(header.alg)}; expected HS256`)
  const claims = await verifiedClaims(token, secret)
  if (claims === 'bad-signature') return refuse('wrong-secret', wrongSecret(header.kid, secret))
  if (claims === null) return refuse('malformed', 'the token is not a JWT with a JSON object of claims')
  return judgeTimes(claims, clock)
}

function judgeTimes(claims: Record<string, unknown>, clock: Clock): JwtVerdict {
  const nowSec = Math.floor(clock.nowMs() / 1000)
  const { iat, exp } = claims
  if (typeof iat !== 'number' || !Number.isFinite(iat))
    return refuse('no-issue-time', 'the token has no issue time (claim iat, in seconds)')
  const skewSec = iat - nowSec
  if (Math.abs(skewSec) > JWT_WINDOW_SEC) {
    const side = skewSec > 0 ? `${skewSec} s in the future` : `${-skewSec} s ago`
    return refuse(
      'clock-skew',
      `the token was issued ${side}; at most ${JWT_WINDOW_SEC} s are allowed: check that both machines have the right time`,
    )
  }
  if (typeof exp === 'number' && exp <= nowSec) return refuse('expired', `the token expired ${nowSec - exp} s ago`)
  return { ok: true }
}

function wrongSecret(kid: unknown, secret: JwtSecret): string {
  const ours = fingerprint(secret)
  const remedy = 'give both clients the path of the same file'
  if (typeof kid === 'string' && /^[0-9a-f]{8}$/.test(kid) && kid !== ours) {
    return `the token is signed with another secret: the caller's has fingerprint ${kid}, ours ${ours}; ${remedy}`
  }
  return `the token is not signed with our secret (fingerprint ${ours}); ${remedy}`
}

function refuse(reason: JwtRefusal, message: string): JwtVerdict {
  return { ok: false, reason, message }
}

function readHeader(token: string): { readonly alg?: unknown; readonly kid?: unknown } | null {
  if (token.split('.').length !== 3) return null
  try {
    return decodeProtectedHeader(token)
  } catch {
    // jose throws for an invalid header.
    return null
  }
}

type Claims = Record<string, unknown>

/** The last genuine token: a caller sends the same one for a second, and its HMAC takes a trip through the thread pool. */
const genuine = new WeakMap<JwtSecret, { readonly token: Buffer; readonly claims: Claims }>()

async function verifiedClaims(token: string, secret: JwtSecret): Promise<Claims | 'bad-signature' | null> {
  const bytes = Buffer.from(token)
  const last = genuine.get(secret)
  if (last !== undefined && last.token.length === bytes.length && timingSafeEqual(last.token, bytes)) return last.claims
  try {
    const { payload } = await compactVerify(token, await keyOf(secret), { algorithms: ['HS256'] })
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload))
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return null
    genuine.set(secret, { token: bytes, claims: claims as Claims })
    return claims as Claims
  } catch (error) {
    // For other errors the token does not parse.
    return (error as { code?: string }).code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' ? 'bad-signature' : null
  }
}
