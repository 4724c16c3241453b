import type { ClaimAnswer, ClaimRefusal } from '../claims/claim-answer.ts'
import type { TierRefusal } from '../tiers/tier-service.ts'

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly retryAfterMs: number | null
}

const CLAIM_STATUS: Readonly<Record<ClaimRefusal, number>> = {
  address: 400,
  recipient: 400,
  'idempotency-key': 409,
  captcha: 403,
  'address-limit': 429,
  'ip-limit': 429,
  'captcha-unavailable': 503,
  'budget-spent': 503,
  busy: 503,
  'faucet-empty': 503,
  'node-unavailable': 503,
  'not-sent': 503,
  'under-way': 503,
}

const TIER_STATUS: Readonly<Record<TierRefusal, number>> = {
  proof: 403,
  code: 403,
  'sign-in': 403,
  'account-used': 409,
  'no-provider': 404,
  unavailable: 503,
  full: 503,
  captcha: 403,
  'captcha-unavailable': 503,
  'ip-limit': 429,
}
const TIER_RETRY_MS = 60_000
const UNDER_WAY_RETRY_MS = 2_000

export function timeText(ms: number): string {
  return new Date(ms).toISOString()
}

export function claimAnswer(answer: ClaimAnswer, nowMs: number): Answer {
  const nextClaimTime = timeText(answer.nextClaimAtMs)
  if (answer.ok) {
    const { txHash, amountWei } = answer
    return { status: 200, body: { success: true, txHash, amount: String(amountWei), nextClaimTime }, retryAfterMs: null }
  }
  const status = CLAIM_STATUS[answer.reason]
  const waitMs = answer.reason === 'under-way' ? UNDER_WAY_RETRY_MS : answer.nextClaimAtMs - nowMs
  return {
    status,
    body: { success: false, error: answer.text, code: answer.reason, nextClaimTime },
    retryAfterMs: status === 429 || status === 503 ? waitMs : null,
  }
}

export function tierRefusal(reason: TierRefusal, text: string): Answer {
  const status = TIER_STATUS[reason]
  return {
    status,
    body: { success: false, error: text, code: reason },
    retryAfterMs: status === 503 || status === 429 ? TIER_RETRY_MS : null,
  }
}

export function page(title: string, paragraphs: readonly string[]): string {
  const escaped = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
  const body = paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`).join('\n')
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head>\n<body><h1>${escaped(title)}</h1>\n${body}\n</body></html>\n`
}
