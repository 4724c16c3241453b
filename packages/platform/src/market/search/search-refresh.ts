/** `POST {url}/refresh` answers `{"documents": number}`. */
import type { HttpClient, Secret } from '@keelson/runtime'
import { z } from 'zod'
import type { SearchRefresh } from '../../schemas/search.ts'
import { requestJson } from '../http/request-json.ts'
import { SourceError } from '../source-error.ts'
import { succeeded, type ToolOutcome } from '../tool-outcome.ts'

export interface SearchConfig {
  readonly url: string
  readonly key: Secret | null
}

export type RefreshSearch = (signal: AbortSignal) => Promise<ToolOutcome<SearchRefresh>>

const Refreshed = z.object({ documents: z.int().min(0) })

export function createSearchRefresh({ url, key }: SearchConfig, http: HttpClient): RefreshSearch {
  const address = new URL(url)
  const label = `search (${address.host})`
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/refresh`
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key.reveal()}` }
  return async (signal) => {
    const { status, value } = await requestJson(http, { label, url: address.href, method: 'POST', headers, signal })
    if (status > 299) throw new SourceError(label, 'refused', `expected status 200, got ${status}`)
    const parsed = Refreshed.safeParse(value)
    if (!parsed.success) throw new SourceError(label, 'bad-answer', 'expected {"documents": a whole number}')
    return succeeded({ status: 'refreshed', documents: parsed.data.documents })
  }
}
