/** Client of an outside HTTP API: bounded in time and size, with answers checked against a schema. */
import { type HttpClient, HttpClientError, type HttpResponse } from '@keelson/runtime'
import type { z } from 'zod'
import { SourceError } from '../source-error.ts'

export interface JsonSourceOptions {
  /** Display name; the host is added. */
  readonly name: string
  readonly baseUrl: string
  readonly timeoutMs?: number
  readonly maxResponseBytes?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface SourceQuery {
  readonly query?: readonly (readonly [name: string, value: string])[]
  readonly signal?: AbortSignal
}

export interface JsonSource {
  /** Name and host, for error texts. */
  readonly label: string
  /** Null for status 404. Throws SourceError. Parts of the path are escaped. */
  get<T>(path: readonly string[], schema: z.ZodType<T>, options?: SourceQuery): Promise<T | null>
  /** As `get`, for plain text. */
  text(path: readonly string[], options?: SourceQuery): Promise<string | null>
}

const TIMEOUT_MS = 8_000
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024

export function createJsonSource(options: JsonSourceOptions, http: HttpClient): JsonSource {
  const base = new URL(options.baseUrl)
  const label = `${options.name} (${base.host})`
  const folder = base.pathname.replace(/\/+$/, '')

  async function send(path: readonly string[], { query = [], signal }: SourceQuery): Promise<HttpResponse | null> {
    // `.` and `..` change the path even when escaped
    if (path.some((part) => /^\.{0,2}$/.test(part))) return null
    const url = new URL(base)
    url.pathname = [folder, ...path.map(encodeURIComponent)].join('/')
    for (const [name, value] of query) url.searchParams.append(name, value)
    const headers = { accept: 'application/json', ...options.headers }
    const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
    const maxResponseBytes = options.maxResponseBytes ?? MAX_RESPONSE_BYTES
    const request = { url: url.href, method: 'GET', headers, timeoutMs, maxResponseBytes, ...(signal && { signal }) } as const
    const response = await http.send(request).catch((error: unknown) => {
      if (!(error instanceof HttpClientError)) throw error
      throw new SourceError(label, error.reason === 'aborted' ? 'timeout' : error.reason, error.message, { cause: error })
    })
    if (response.status === 404) return null
    if (response.status < 200 || response.status > 299) {
      throw new SourceError(label, 'refused', `expected status 200 for /${path[0] ?? ''}, got ${response.status}`)
    }
    return response
  }

  return {
    label,
    async get(path, schema, query = {}) {
      const response = await send(path, query)
      if (response === null) return null
      const parsed = schema.safeParse(parseJson(label, response.body))
      if (parsed.success) return parsed.data
      const [issue] = parsed.error.issues
      const where = issue === undefined ? '' : ` at ${issue.path.join('.') || 'the top'}: ${issue.message}`
      throw new SourceError(label, 'bad-answer', `/${path[0] ?? ''} was answered in another form than expected${where}`)
    },
    async text(path, query = {}) {
      const response = await send(path, query)
      return response === null ? null : new TextDecoder().decode(response.body).trim()
    },
  }
}

function parseJson(label: string, body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch (error) {
    throw new SourceError(label, 'bad-answer', 'expected JSON', { cause: error })
  }
}
