import type { Clock, Random } from '@keelson/primitives'
import { ApiError, unauthorized } from '../http/api-error.ts'
import { bearerToken } from '../http/guards.ts'
import { RATE_LIMITS } from '../http/rate-limits.ts'
import { type AnyRoute, type Caller, defineRoute } from '../http/route.ts'
import * as schemas from '../schemas/auth.ts'
import { normalizeEmail } from './email.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { Passwords } from './passwords.ts'
import type { Tokens } from './tokens.ts'
import { MAX_SESSIONS_OF_USER, type SessionRecord, type UserStore } from './user-store.ts'

export interface AuthDependencies {
  readonly users: UserStore
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly throttle: LoginThrottle
  readonly clock: Clock
  readonly random: Random
  onSessionDeleted(sessionId: string): void
}

const BASE = '/api/v1/auth'
const ACCOUNT = { method: 'POST', tag: 'auth', auth: 'none', limit: RATE_LIMITS.credentials } as const
const OWN_SESSION = {
  tag: 'auth',
  auth: 'session',
  limit: RATE_LIMITS.write,
  params: schemas.sessionParams,
  refusals: [403, 404],
} as const

export function createAuthRoutes(deps: AuthDependencies): readonly AnyRoute[] {
  return [...accountRoutes(deps), ...sessionRoutes(deps), ...ownSessionRoutes(deps)]
}

function accountRoutes({ users, passwords, tokens, throttle, clock }: AuthDependencies): readonly AnyRoute[] {
  return [
    defineRoute({
      ...ACCOUNT,
      limit: RATE_LIMITS.registration,
      stores: { bytes: 0 },
      path: `${BASE}/register`,
      summary: 'Register a user',
      body: schemas.registration,
      answer: schemas.user,
      refusals: [400],
      async handle({ body, subscriber }) {
        const email = normalizeEmail(body.email)
        const added = await users.addUser(email, await passwords.hash(body.password, subscriber), clock.nowMs())
        if (added === null) throw new ApiError(400, 'Email already registered')
        return { id: added.id, email, token: await issued(tokens, { tier: 'user', userId: added.id }) }
      },
    }),
    defineRoute({
      ...ACCOUNT,
      path: `${BASE}/login`,
      summary: 'Log in with email address and password',
      form: true,
      body: schemas.loginForm,
      answer: schemas.token,
      refusals: [401],
      async handle({ body, subscriber }) {
        const email = normalizeEmail(body.username)
        const attempt = await throttle.attempt(email, subscriber)
        const found = await users.findUser(email)
        const right = await passwords.verify(body.password, found?.passwordHash ?? null, subscriber)
        if (found === null || !right) throw unauthorized('Incorrect email or password')
        await attempt.succeeded()
        return issued(tokens, { tier: 'user', userId: found.id })
      },
    }),
  ]
}

function sessionRoutes({ users, tokens, clock, random }: AuthDependencies): readonly AnyRoute[] {
  const withNewToken = async (userId: number, { id, name }: SessionRecord) => ({
    session_id: id,
    name,
    token: await issued(tokens, { tier: 'session', userId, sessionId: id }),
  })
  return [
    defineRoute({
      method: 'POST',
      path: `${BASE}/session`,
      tag: 'auth',
      summary: 'Create a chat session',
      auth: 'user',
      limit: RATE_LIMITS.write,
      stores: { bytes: 0 },
      answer: schemas.session,
      refusals: [400],
      async handle({ caller: { userId } }) {
        const id = uuid(random.bytes(16))
        const added = await users.addSession(id, userId, clock.nowMs())
        if (added === 'no-user') throw unauthorized('Invalid or expired token: log in again')
        if (added === 'too-many') throw new ApiError(400, `A user may have ${MAX_SESSIONS_OF_USER} sessions: delete one first`)
        return withNewToken(userId, { id, name: '' })
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${BASE}/sessions`,
      tag: 'auth',
      summary: 'List sessions, oldest first: all with new tokens for a user token, its own with the same token for a session token',
      auth: 'either',
      limit: RATE_LIMITS.credentials,
      answer: schemas.session.array(),
      async handle({ caller, request }) {
        if (caller.tier === 'user')
          return Promise.all((await users.sessionsOf(caller.userId)).map((record) => withNewToken(caller.userId, record)))
        const own = await users.findSession(caller.sessionId, caller.userId)
        return own === null ? [] : [withSentToken(own, tokens, request.headers.authorization)]
      },
    }),
  ]
}

function ownSessionRoutes({ users, tokens, onSessionDeleted }: AuthDependencies): readonly AnyRoute[] {
  /** Throws ApiError 403, whether the named session exists or not. */
  const assertOwn = (callerSession: string, named: string) => {
    if (callerSession !== named.toLowerCase()) throw new ApiError(403, 'This token belongs to another session')
  }
  return [
    defineRoute({
      ...OWN_SESSION,
      method: 'PATCH',
      path: `${BASE}/session/:session_id/name`,
      summary: 'Rename the session; its token does not change',
      form: true,
      body: schemas.sessionNameForm,
      answer: schemas.session,
      async handle({ caller, params, body, request }) {
        assertOwn(caller.sessionId, params.session_id)
        const renamed = await users.renameSession(caller.sessionId, caller.userId, body.name)
        if (renamed === null) throw new ApiError(404, 'Session not found')
        return withSentToken(renamed, tokens, request.headers.authorization)
      },
    }),
    defineRoute({
      ...OWN_SESSION,
      method: 'DELETE',
      path: `${BASE}/session/:session_id`,
      summary: 'Delete the session and invalidate its token',
      answer: schemas.message,
      async handle({ caller, params }) {
        assertOwn(caller.sessionId, params.session_id)
        if (!(await users.deleteSession(caller.sessionId, caller.userId))) throw new ApiError(404, 'Session not found')
        onSessionDeleted(caller.sessionId)
        return { message: 'Session deleted' }
      },
    }),
  ]
}

async function issued(tokens: Tokens, caller: Caller) {
  const { token, expiresAtMs } = await tokens.issue(caller)
  return { access_token: token, token_type: 'bearer' as const, expires_at: new Date(expiresAtMs).toISOString() }
}

/** Returns the token that was sent: a new one at each request would never expire. */
function withSentToken({ id, name }: SessionRecord, tokens: Tokens, authorization: string | undefined) {
  const sent = bearerToken(authorization) ?? ''
  const expiresAt = new Date(tokens.expiresAtMs(sent)).toISOString()
  return { session_id: id, name, token: { access_token: sent, token_type: 'bearer' as const, expires_at: expiresAt } }
}

/** RFC 9562 version 4. */
function uuid(bytes: Uint8Array): string {
  const all = Uint8Array.from(bytes)
  all[6] = ((all[6] ?? 0) & 0x0f) | 0x40
  all[8] = ((all[8] ?? 0) & 0x3f) | 0x80
  return Buffer.from(all)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
