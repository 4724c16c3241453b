/** JWTs (RFC 7519, type of RFC 9068). The audience separates user and session tokens. */
import type { webcrypto } from 'node:crypto'
import type { Clock, Random } from '@keelson/primitives'
import { bytesToHex } from '@keelson/primitives'
import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose'
import type { Caller } from '../http/route.ts'
import type { TokenKeys } from './token-keys.ts'

export type Tokens = ReturnType<typeof createTokens>

export interface TokenOptions {
  readonly keys: TokenKeys
  readonly userLifetimeMs: number
  readonly sessionLifetimeMs: number
}

const ISSUER = 'keelson-platform'
const AUDIENCE = { user: 'keelson:user', session: 'keelson:session' } as const
const TYPE = 'at+jwt'
const ALGORITHM = 'HS256'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function createTokens({ keys, userLifetimeMs, sessionLifetimeMs }: TokenOptions, clock: Clock, random: Random) {
  // importing a raw key for each token takes five times as long
  const byKid = new Map(keys.map(({ kid, secret }) => [kid, importOnce(secret.reveal())]))
  return {
    async issue(caller: Caller) {
      const nowSec = Math.floor(clock.nowMs() / 1000)
      const lifetimeMs = caller.tier === 'user' ? userLifetimeMs : sessionLifetimeMs
      const expiresSec = nowSec + Math.floor(lifetimeMs / 1000)
      const [{ kid }] = keys
      const key = (await byKid.get(kid)?.()) as webcrypto.CryptoKey
      const token = await new SignJWT(caller.tier === 'session' ? { sid: caller.sessionId } : {})
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE[caller.tier])
        .setSubject(String(caller.userId))
        .setIssuedAt(nowSec)
        .setExpirationTime(expiresSec)
        .setJti(bytesToHex(random.bytes(12)).slice(2))
        .sign(key)
      return { token, expiresAtMs: expiresSec * 1000 }
    },
    async verify(token: string): Promise<Caller | null> {
      try {
        const { payload } = await jwtVerify(
          token,
          ({ kid }) => {
            const key = byKid.get(kid ?? '')
            if (key === undefined) throw new errors.JWKSNoMatchingKey()
            return key()
          },
          {
            algorithms: [ALGORITHM],
            typ: TYPE,
            issuer: ISSUER,
            requiredClaims: ['sub', 'exp', 'iat', 'aud'],
            currentDate: new Date(clock.nowMs()),
          },
        )
        const userId = Number(payload.sub)
        if (!Number.isSafeInteger(userId) || userId < 1) return null
        if (payload.aud === AUDIENCE.user) return { tier: 'user', userId }
        const { sid } = payload
        if (payload.aud !== AUDIENCE.session || typeof sid !== 'string' || !UUID.test(sid)) return null
        return { tier: 'session', userId, sessionId: sid }
      } catch (error) {
        if (error instanceof errors.JOSEError) return null
        throw error
      }
    },
    expiresAtMs: (token: string) => (decodeJwt(token).exp ?? 0) * 1000,
  }
}

function importOnce(secret: Uint8Array): () => Promise<webcrypto.CryptoKey> {
  let key: Promise<webcrypto.CryptoKey> | undefined
  return () => {
    key ??= crypto.subtle.importKey('raw', Uint8Array.from(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
    return key
  }
}
