/** RFC 6749, RFC 7636 */
import type { Clock, Logger } from '@keelson/primitives'
import { createHttpClient, type HttpClient, HttpClientError, type Secret } from '@keelson/runtime'

export interface LinkedAccount {
  /** Never changes; for example `github:583231`. */
  readonly id: string
  readonly login: string
}

export type SignIn =
  | { readonly ok: true; readonly account: LinkedAccount }
  | { readonly ok: false; readonly reason: 'refused' | 'unavailable'; readonly text: string }

export interface AccountProvider {
  readonly name: string
  signInUrl(request: { readonly state: string; readonly codeChallenge: string; readonly redirectUri: string }): string
  signIn(code: string, codeVerifier: string, redirectUri: string, signal: AbortSignal): Promise<SignIn>
  close(): void
}

export interface GithubOptions {
  readonly clientId: string
  readonly clientSecret: Secret
  /** Minimum age against mass registration. */
  readonly minAccountAgeMs: number
  readonly url: string | null
  readonly apiUrl: string | null
  readonly timeoutMs?: number
}

const GITHUB_URL = 'https://github.com'
const GITHUB_API_URL = 'https://api.github.com'
const TIMEOUT_MS = 8_000
const MAX_ANSWER_BYTES = 65_536
const DAY_MS = 86_400_000

export function createGithubAccounts(options: GithubOptions, { clock, log }: { clock: Clock; log: Logger }): AccountProvider {
  const http: HttpClient = createHttpClient({ maxSockets: 8 })
  const url = options.url ?? GITHUB_URL
  const apiUrl = options.apiUrl ?? GITHUB_API_URL
  const limits = { timeoutMs: options.timeoutMs ?? TIMEOUT_MS, maxResponseBytes: MAX_ANSWER_BYTES }
  const unavailable: SignIn = { ok: false, reason: 'unavailable', text: 'GitHub is unavailable at the moment: try again in a minute' }

  const ask = async (request: Parameters<HttpClient['send']>[0]): Promise<Record<string, unknown> | null> => {
    const answer = await http.send(request)
    if (answer.status >= 500 || answer.status === 429) return null
    return parseObject(answer.body)
  }

  const judge = (user: Record<string, unknown>): SignIn => {
    const { id, login, created_at: created } = user
    const createdMs = typeof created === 'string' ? Date.parse(created) : Number.NaN
    if (typeof id !== 'number' || typeof login !== 'string' || Number.isNaN(createdMs)) return unavailable
    if (clock.nowMs() - createdMs < options.minAccountAgeMs) {
      const days = Math.round(options.minAccountAgeMs / DAY_MS)
      return { ok: false, reason: 'refused', text: `the GitHub account ${login.slice(0, 40)} is younger than ${days} days` }
    }
    return { ok: true, account: { id: `github:${id}`, login: login.slice(0, 40) } }
  }

  return {
    name: 'github',
    signInUrl({ state, codeChallenge, redirectUri }) {
      const target = new URL('/login/oauth/authorize', url)
      const query = {
        client_id: options.clientId,
        redirect_uri: redirectUri,
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
        allow_signup: 'false',
      }
      for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value)
      return target.href
    },
    async signIn(code, codeVerifier, redirectUri, signal) {
      const body = new URLSearchParams({
        client_id: options.clientId,
        client_secret: options.clientSecret.reveal(),
        code,
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      }).toString()
      const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', 'user-agent': 'keelson-faucet' }
      try {
        const granted = await ask({ url: `${url}/login/oauth/access_token`, method: 'POST', headers: form, body, ...limits, signal })
        if (granted === null) return unavailable
        if (typeof granted.access_token !== 'string') {
          const why = String(granted.error ?? '').slice(0, 80)
          if (/client|redirect/.test(why)) log.error('GitHub rejects this application: check --github.client-id and its secret', { why })
          return { ok: false, reason: 'refused', text: 'GitHub did not confirm the sign-in: start again' }
        }
        const headers = {
          authorization: `Bearer ${granted.access_token}`,
          accept: 'application/vnd.github+json',
          'user-agent': 'keelson-faucet',
        }
        const user = await ask({ url: `${apiUrl}/user`, method: 'GET', headers, ...limits, signal })
        return user === null ? unavailable : judge(user)
      } catch (error) {
        if (!(error instanceof HttpClientError)) throw error
        log.warn('GitHub is unavailable', { reason: error.reason })
        return unavailable
      }
    },
    close: () => http.close(),
  }
}

export function createLocalAccounts(publicUrl: string): AccountProvider {
  return {
    name: 'local',
    signInUrl({ state }) {
      const target = new URL('/api/verify/local', publicUrl)
      target.searchParams.set('state', state)
      return target.href
    },
    async signIn(code) {
      if (!/^[a-z0-9-]{1,39}$/.test(code)) {
        return { ok: false, reason: 'refused', text: 'the name of a local account has 1 to 39 lower-case letters, digits and dashes' }
      }
      return { ok: true, account: { id: `local:${code}`, login: code } }
    },
    close: () => undefined,
  }
}

function parseObject(body: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
