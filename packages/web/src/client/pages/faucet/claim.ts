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

/** Refusals of the server in front of the faucet have a `message`, those of the faucet an `error` for people. */
export async function claim(address: string, key: string, captcha: string | null): Promise<ClaimAnswer> {
  try {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key }
    const body = JSON.stringify(captcha === null ? { address } : { address, captcha })
    const response = await send('/api/faucet/claim', { method: 'POST', headers, body })
    const json = ((await response.json().catch(() => null)) ?? {}) as AnswerJson
    const { txHash, amount, nextClaimTime } = json
    if (json.success === true && txHash !== undefined && amount !== undefined)
      return { paid: true, txHash, amount, nextClaimTime: nextClaimTime ?? '', isRepeatable: false }
    const error = json.message ?? json.error ?? `The faucet answered with status ${response.status}.`
    const isRepeatable = json.code === 'under-way' || response.status === 502 || response.status === 504
    return { paid: false, error, nextClaimTime: nextClaimTime ?? null, isRepeatable }
  } catch (error) {
    return { paid: false, error: error instanceof Error ? error.message : 'The request failed.', nextClaimTime: null, isRepeatable: true }
  }
}
