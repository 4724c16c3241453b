import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'

const TIMEOUT_MS = 10_000

export interface EngineAddress {
  readonly url: string
  readonly jwtFile: string
}

export type Token = 'valid' | 'none' | 'of another secret' | 'two minutes old'

export type EngineAnswer =
  | { readonly kind: 'http'; readonly status: number }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  | { readonly kind: 'result'; readonly result: unknown }

export async function engineCall(
  at: EngineAddress,
  method: string,
  params: readonly unknown[],
  token: Token = 'valid',
): Promise<EngineAnswer> {
  const response = await fetch(at.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === 'none' ? {} : { authorization: `Bearer ${jwt(at.jwtFile, token)}` }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) return { kind: 'http', status: response.status }
  const answer = (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
  if (answer.error !== undefined) return { kind: 'error', code: answer.error.code, message: answer.error.message }
  return { kind: 'result', result: answer.result }
}

export async function engineResult<T>(at: EngineAddress, method: string, params: readonly unknown[]): Promise<T> {
  const answer = await engineCall(at, method, params)
  if (answer.kind !== 'result') throw new Error(`${method} at ${at.url}: ${JSON.stringify(answer)}`)
  return answer.result as T
}

function jwt(file: string, token: Token): string {
  const secret =
    token === 'of another secret' ? Buffer.alloc(32, 7) : Buffer.from(readFileSync(file, 'utf8').trim().replace(/^0x/, ''), 'hex')
  const iat = Math.floor(Date.now() / 1000) - (token === 'two minutes old' ? 120 : 0)
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ iat })}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
