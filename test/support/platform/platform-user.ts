import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { patience } from '../eventually.ts'

const PASSWORD = 'correct horse battery'
const TRY_AGAIN_MS = 250
const ANSWER_TIMEOUT_MS = 90_000

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the body as a client sees it
  readonly body: any
}

export interface Asking {
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string
}

export type NextUrl = () => string

export interface PlatformUser {
  readonly email: string
  readonly userToken: string
  readonly token: string
  ask(method: string, path: string, asking?: Asking): Promise<Answer>
  // biome-ignore lint/suspicious/noExplicitAny: the body as a client sees it
  get(method: string, path: string, asking?: Asking): Promise<any>
  insist(method: string, path: string, asking: Asking, timeoutMs: number): Promise<Answer>
  open(method: string, path: string, asking?: Asking & { readonly signal?: AbortSignal; readonly url?: string }): Promise<Response>
  anotherSession(): Promise<PlatformUser>
}

export async function ask(url: string, method: string, path: string, asking: Asking = {}): Promise<Answer> {
  const response = await request(url, method, path, { ...asking, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS * patience()) })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

export async function newPlatformUser(nextUrl: NextUrl): Promise<PlatformUser> {
  const email = `user-${randomBytes(6).toString('hex')}@example.org`
  const registered = await ask(nextUrl(), 'POST', '/api/v1/auth/register', { json: { email, password: PASSWORD } })
  assert.equal(registered.status, 200, JSON.stringify(registered.body))
  assert.equal(registered.body.email, email)
  const form = { username: email, password: PASSWORD, grant_type: 'password' }
  const login = await ask(nextUrl(), 'POST', '/api/v1/auth/login', { form })
  assert.equal(login.status, 200, JSON.stringify(login.body))
  assert.equal(login.body.token_type, 'bearer')
  return withSession(nextUrl, email, login.body.access_token)
}

async function withSession(nextUrl: NextUrl, email: string, userToken: string): Promise<PlatformUser> {
  const session = await ask(nextUrl(), 'POST', '/api/v1/auth/session', { token: userToken })
  assert.equal(session.status, 200, JSON.stringify(session.body))
  const token: string = session.body.token.access_token
  const mine = (asking: Asking = {}) => ({ token, ...asking })
  const user: PlatformUser = {
    email,
    userToken,
    token,
    ask: (method, path, asking) => ask(nextUrl(), method, path, mine(asking)),
    async get(method, path, asking) {
      const { status, body } = await user.ask(method, path, asking)
      assert.equal(status, 200, `${method} ${path}: ${status} ${JSON.stringify(body)}`)
      return body
    },
    async insist(method, path, asking, timeoutMs) {
      const untilMs = performance.now() + timeoutMs * patience()
      for (;;) {
        const answer = await user.ask(method, path, asking).catch((error: unknown) => String(error))
        const isFinal = typeof answer !== 'string' && answer.status !== 429 && answer.status < 500
        if (isFinal) return answer
        const last = typeof answer === 'string' ? answer : `${answer.status} ${JSON.stringify(answer.body)}`
        if (performance.now() > untilMs) assert.fail(`${method} ${path} got only ${last}`)
        await delay(TRY_AGAIN_MS)
      }
    },
    open: (method, path, { url = nextUrl(), ...asking } = {}) => request(url, method, path, { ...mine(asking), ...asking }),
    anotherSession: () => withSession(nextUrl, email, userToken),
  }
  return user
}

function request(
  url: string,
  method: string,
  path: string,
  { json, form, headers = {}, token, signal }: Asking & { readonly signal?: AbortSignal },
): Promise<Response> {
  const body = json !== undefined ? JSON.stringify(json) : form !== undefined ? new URLSearchParams(form) : null
  return fetch(`${url}${path}`, {
    method,
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === null ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  })
}
