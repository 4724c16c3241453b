import { pause } from '../../data/browser-clock.ts'
import { send } from '../../data/get-json.ts'

export type ClaimAnswer =
  | { readonly paid: true; readonly txHash: string; readonly amount: string; readonly nextClaimTime: string; readonly isRepeatable: false }
  | {
      readonly paid: false
      /** The faucet's own words. */
      readonly error: string
      readonly nextClaimTime: string | null
      /** The claim may have been made: asking again must use the same key. */
      readonly isRepeatable: boolean
    }

interface AnswerJson {
  readonly success?: boolean
  readonly txHash?: string
  readonly amount?: string
  readonly nextClaimTime?: string
  readonly error?: string
  readonly code?: string
  readonly message?: string
}

/** Longer than the faucet waits for a payment. */
const TIMEOUT_MS = 60_000
const UNDER_WAY_RETRY_MS = 2_000
const UNDER_WAY_RETRIES = 20

/** Asks again while the payment is, or may be, under way. */
export async function claim(address: string, key: string, captcha: string | null): Promise<ClaimAnswer> {
  for (let retry = 0; ; retry++) {
    const { isUnderWay, ...answer } = await claimOnce(address, key, captcha)
    if (!isUnderWay || retry === UNDER_WAY_RETRIES) return answer
    await pause(UNDER_WAY_RETRY_MS)
  }
}

/** Refusals of the server in front of the faucet have a `message`, those of the faucet an `error` for people. */
async function claimOnce(address: string, key: string, captcha: string | null): Promise<ClaimAnswer & { readonly isUnderWay: boolean }> {
  try {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key }
    const body = JSON.stringify(captcha === null ? { address } : { address, captcha })
    const response = await send('/api/faucet/claim', { method: 'POST', headers, body }, undefined, TIMEOUT_MS)
    const json = ((await response.json().catch(() => null)) ?? {}) as AnswerJson
    const { txHash, amount, nextClaimTime } = json
    if (json.success === true && txHash !== undefined && amount !== undefined)
      return { paid: true, txHash, amount, nextClaimTime: nextClaimTime ?? '', isRepeatable: false, isUnderWay: false }
    const error = json.message ?? json.error ?? `The faucet answered with status ${response.status}.`
    const isUnderWay = json.code === 'under-way' || response.status === 504
    const isRepeatable = isUnderWay || response.status === 502
    return { paid: false, error, nextClaimTime: nextClaimTime ?? null, isRepeatable, isUnderWay }
  } catch (failure) {
    const error = failure instanceof Error ? failure.message : 'The request failed.'
    return { paid: false, error, nextClaimTime: null, isRepeatable: true, isUnderWay: false }
  }
}
