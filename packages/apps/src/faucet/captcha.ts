import type { Logger } from '@keelson/primitives'
import { createHttpClient, type HttpClient, HttpClientError, type Secret } from '@keelson/runtime'

export const CAPTCHA_PROVIDERS = ['off', 'turnstile', 'hcaptcha'] as const
export type CaptchaProvider = (typeof CAPTCHA_PROVIDERS)[number]

export type CaptchaVerdict = 'passed' | 'refused' | 'unavailable'

export interface Captcha {
  readonly required: boolean
  check(token: string, remoteIp: string, signal: AbortSignal): Promise<CaptchaVerdict>
  close(): void
}

export interface CaptchaRefusal {
  readonly reason: 'captcha' | 'captcha-unavailable'
  readonly text: string
}

export interface CaptchaOptions {
  readonly provider: Exclude<CaptchaProvider, 'off'>
  readonly secret: Secret
  /** Null means the provider's URL. */
  readonly url: string | null
  readonly timeoutMs?: number
}

const URLS: Readonly<Record<CaptchaOptions['provider'], string>> = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
}
const TIMEOUT_MS = 5_000
const MAX_ANSWER_BYTES = 16_384
/** Error codes that are the operator's mistakes. */
const OURS = /secret|sitekey|internal-error/

export const NO_CAPTCHA: Captcha = { required: false, check: async () => 'passed', close: () => undefined }

export function createCaptcha(options: CaptchaOptions, log: Logger): Captcha {
  const http: HttpClient = createHttpClient({ maxSockets: 16 })
  const url = options.url ?? URLS[options.provider]
  return {
    required: true,
    async check(token, remoteIp, signal) {
      const body = new URLSearchParams({ secret: options.secret.reveal(), response: token, remoteip: remoteIp }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
      const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
      try {
        const answer = await http.send({ url, method: 'POST', headers, body, timeoutMs, maxResponseBytes: MAX_ANSWER_BYTES, signal })
        return verdictOf(answer.status, answer.body, log)
      } catch (error) {
        if (!(error instanceof HttpClientError)) throw error
        log.warn('the captcha service is unavailable', { provider: options.provider, reason: error.reason })
        return 'unavailable'
      }
    },
    close: () => http.close(),
  }
}

export async function checkCaptcha(
  captcha: Captcha,
  token: string | null,
  remoteIp: string,
  signal: AbortSignal,
): Promise<CaptchaRefusal | null> {
  if (!captcha.required) return null
  if (token === null || token === '') {
    return { reason: 'captcha', text: 'this faucet requires a captcha: send its response as "captcha"' }
  }
  const verdict = await captcha.check(token, remoteIp, signal)
  if (verdict === 'passed') return null
  if (verdict === 'refused') return { reason: 'captcha', text: 'the captcha failed or has expired: solve it again' }
  return { reason: 'captcha-unavailable', text: 'the captcha cannot be checked at the moment: try again in a minute' }
}

function verdictOf(status: number, body: Uint8Array, log: Logger): CaptchaVerdict {
  const answer = parseAnswer(body)
  if (answer === null || status >= 500) {
    log.warn('the captcha service returned an invalid response', { status })
    return 'unavailable'
  }
  if (answer.success === true) return 'passed'
  const codes = Array.isArray(answer['error-codes']) ? answer['error-codes'].map(String).join(' ').slice(0, 200) : ''
  if (!OURS.test(codes)) return answer.success === false ? 'refused' : 'unavailable'
  log.error('the captcha service rejects our secret: check --captcha.secret', { codes })
  return 'unavailable'
}

function parseAnswer(body: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
