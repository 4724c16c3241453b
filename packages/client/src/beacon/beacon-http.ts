import type { Clock, Random } from '@keelson/primitives'
import { createHttpClient, type HttpClient, HttpClientError } from '@keelson/runtime'
import { parseAnswer } from '../rpc/answer.ts'
import type { AnswerLimit } from '../rpc/answer-limit.ts'
import { transportError } from '../rpc/http-rpc-client.ts'
import { retrying } from '../rpc/retry.ts'

export interface BeaconHttp {
  /** URL's host, without path and query, which may contain keys. */
  readonly host: string
  /** The default limit is enough for chain metadata. Throws ClientError. */
  get(path: string, limit?: AnswerLimit): Promise<unknown>
  close(): void
}

const FACTS_LIMIT: AnswerLimit = { maxBytes: 1024 * 1024, maxStructure: 8_192 }
/** More blobs than any known fork allows; nodes may return all blobs of a slot. */
const MAX_BLOBS = 128
const BLOB_BYTES = 2 * 131_072 + 8 * 1024
export const BLOBS_LIMIT: AnswerLimit = { maxBytes: MAX_BLOBS * BLOB_BYTES, maxStructure: MAX_BLOBS * 128 }
const RETRY = { attempts: 3, baseDelayMs: 250, maxDelayMs: 4000 }

export function createBeaconHttp(
  options: { readonly url: string; readonly timeoutMs: number },
  dependencies: { readonly clock: Clock; readonly random: Random; readonly http?: HttpClient },
): BeaconHttp {
  const base = new URL(options.url)
  const http = dependencies.http ?? createHttpClient({ maxSockets: 4 })
  const attempt = async (path: string, limit: AnswerLimit): Promise<unknown> => {
    try {
      const response = await http.send({
        url: withPath(base, path),
        method: 'GET',
        headers: { accept: 'application/json' },
        timeoutMs: options.timeoutMs,
        maxResponseBytes: limit.maxBytes,
      })
      return parseAnswer(base.host, response, limit.maxStructure)
    } catch (error) {
      if (error instanceof HttpClientError) throw transportError(base.host, error)
      throw error
    }
  }
  return {
    host: base.host,
    get: (path, limit = FACTS_LIMIT) => retrying(() => attempt(path, limit), RETRY, dependencies),
    close: () => http.close(),
  }
}

/** Keeps the URL's path and query, which may contain the provider's key. */
function withPath(base: URL, path: string): string {
  const [pathname, query] = path.split('?')
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/$/, '')}${pathname}`
  for (const [name, value] of new URLSearchParams(query ?? '')) url.searchParams.append(name, value)
  return url.href
}
