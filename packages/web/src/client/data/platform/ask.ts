/** Requests to the agent platform, and its refusals in plain words. */
import { Refusal, send } from '../get-json.ts'

/** `code` and `risk` come with a refused trade. */
export class PlatformRefusal extends Refusal {
  readonly retryAfterSec: number | null
  readonly code: string | null
  constructor(status: number, message: string, retryAfterSec: number | null, code: string | null = null) {
    super(status, message, null)
    this.retryAfterSec = retryAfterSec
    this.code = code
  }
}

export interface Question {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly token?: string | null
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

export const PLATFORM = '/api/platform'

/** Throws Refusal. */
export async function ask<T>(path: string, question: Question = {}): Promise<T> {
  return (await askResponse(path, question)).json() as Promise<T>
}

/** Throws Refusal, also for a status that is no success. */
export async function askResponse(path: string, question: Question = {}): Promise<Response> {
  const response = await send(PLATFORM + path, initOf(question), undefined, question.timeoutMs)
  if (!response.ok) throw await refusalOf(response)
  return response
}

export function initOf({ method = 'GET', token = null, json, form, headers = {} }: Question): RequestInit {
  const type = json !== undefined ? 'application/json' : form !== undefined ? 'application/x-www-form-urlencoded' : null
  return {
    method,
    headers: {
      accept: 'application/json',
      ...headers,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(type === null ? {} : { 'content-type': type }),
    },
    ...(json !== undefined ? { body: JSON.stringify(json) } : form !== undefined ? { body: new URLSearchParams(form) } : {}),
  }
}

interface RefusalJson {
  readonly detail?: string | readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[]
  readonly message?: string
  readonly code?: string
}

export async function refusalOf(response: Response): Promise<PlatformRefusal> {
  const { detail, message, code } = ((await response.json().catch(() => null)) ?? {}) as RefusalJson
  const words =
    typeof detail === 'string' ? detail : (detail?.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ') ?? message)
  const retry = Number(response.headers.get('retry-after'))
  const retryAfterSec = Number.isFinite(retry) && retry > 0 ? retry : null
  return new PlatformRefusal(response.status, words ?? `The platform answered with status ${response.status}.`, retryAfterSec, code ?? null)
}

/** A sentence for people. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Refusal)) return error instanceof Error ? error.message : 'The request failed.'
  const retry = error instanceof PlatformRefusal ? error.retryAfterSec : null
  if (error.status === 429)
    return retry === null ? `Too many requests: ${error.message}` : `Too many requests. Try again in ${retry} s. (${error.message})`
  if (error.status === 503 && retry !== null) return `${error.message} (try again in ${retry} s)`
  return error.message
}
