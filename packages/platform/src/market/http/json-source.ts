import type { HttpClient } from '@keelson/runtime'
import type { z } from 'zod'
import { SourceError } from '../source-error.ts'
import { parseJson, sendTo } from './request-json.ts'

interface JsonSourceOptions {
  readonly name: string
  readonly baseUrl: string
  readonly timeoutMs?: number
  readonly maxResponseBytes?: number
}

interface SourceQuery {
  readonly query?: readonly (readonly [name: string, value: string])[]
  readonly signal?: AbortSignal | undefined
}

export type JsonSource = ReturnType<typeof createJsonSource>

const TIMEOUT_MS = 8_000
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024

/** Escapes the parts of a path. Methods return null for 404, and throw SourceError. */
export function createJsonSource(options: JsonSourceOptions, http: HttpClient) {
  const { name, baseUrl, timeoutMs = TIMEOUT_MS, maxResponseBytes = MAX_RESPONSE_BYTES } = options
  const base = new URL(baseUrl)
  const label = `${name} (${base.host})`

  async function send(path: readonly string[], { query = [], signal }: SourceQuery): Promise<Uint8Array | null> {
    // servers may resolve `.` and `..` even when escaped
    if (path.some((part) => /^\.{0,2}$/.test(part))) return null
    const url = new URL(base)
    url.pathname = [base.pathname.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/')
    for (const [key, value] of query) url.searchParams.append(key, value)
    const request = { url: url.href, method: 'GET', headers: { accept: 'application/json' }, timeoutMs, maxResponseBytes } as const
    const { status, body } = await sendTo(http, label, { ...request, ...(signal && { signal }) })
    if (status === 404) return null
    if (status >= 200 && status <= 299) return body
    throw new SourceError(label, 'refused', `expected status 200 for /${path[0] ?? ''}, got ${status}`)
  }

  return {
    label,
    async get<T>(path: readonly string[], schema: z.ZodType<T>, query: SourceQuery = {}): Promise<T | null> {
      const body = await send(path, query)
      if (body === null) return null
      const parsed = schema.safeParse(parseJson(label, body))
      if (parsed.success) return parsed.data
      const [issue] = parsed.error.issues
      const where = issue === undefined ? '' : ` at ${issue.path.join('.') || 'the top'}: ${issue.message}`
      throw new SourceError(label, 'bad-answer', `/${path[0] ?? ''} was answered in another form than expected${where}`)
    },
    async text(path: readonly string[], query: SourceQuery = {}): Promise<string | null> {
      const body = await send(path, query)
      return body === null ? null : new TextDecoder().decode(body).trim()
    },
  }
}
