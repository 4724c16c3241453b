import type { HttpClient } from '@keelson/runtime'
import { z } from 'zod'
import { requestJson } from '../market/http/request-json.ts'
import { SourceError } from '../market/source-error.ts'
import { SOURCE_TIMEOUT_MS } from './analytics.ts'
import { judgeCallerUrl } from './caller-url.ts'
import { isNotPublic } from './public-lookup.ts'

export interface SubgraphConfig {
  readonly url: string | null
  /** `*.example.org` allows subdomains. */
  readonly hosts: readonly string[]
}

export interface SubgraphQuestion {
  readonly subgraph: string | null
  readonly gql: string
  readonly variables: Readonly<Record<string, unknown>>
}

export interface SubgraphAnswer {
  readonly label: string
  readonly data: Record<string, unknown> | null
  readonly trouble: string | null
}

export type SubgraphOutcome =
  | { readonly ok: true; readonly value: SubgraphAnswer }
  | { readonly ok: false; readonly reason: 'not-allowed' | 'not-configured' | 'invalid'; readonly detail: string }

export type AskSubgraph = (question: SubgraphQuestion, signal: AbortSignal) => Promise<SubgraphOutcome>

export interface SubgraphClients {
  readonly configured: HttpClient
  /** Connects to public addresses only. */
  readonly guarded: HttpClient
}

const Answer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ message: z.string() })).nullish(),
})
const MAX_MESSAGES = 3
const MAX_MESSAGE_LENGTH = 300

export function createSubgraph(config: SubgraphConfig, clients: SubgraphClients): AskSubgraph {
  const own = config.url === null ? null : new URL(config.url).href

  return async ({ subgraph, gql, variables }, signal): Promise<SubgraphOutcome> => {
    const named = subgraph ?? own
    if (named === null)
      return {
        ok: false,
        reason: 'not-configured',
        detail: 'no subgraph is configured: name one, or the operator does by --research.subgraph',
      }
    const isOwn = named === own || (URL.canParse(named) && new URL(named).href === own)
    const judged = isOwn ? { ok: true as const, url: new URL(named) } : judgeCallerUrl(named, config.hosts)
    if (!judged.ok) return notAllowed(judged.why)
    const label = `subgraph (${judged.url.host})`
    const request = {
      label,
      url: judged.url.href,
      method: 'POST',
      body: { query: gql, variables },
      signal,
      timeoutMs: SOURCE_TIMEOUT_MS,
    } as const
    const answer = await requestJson(isOwn ? clients.configured : clients.guarded, request).catch((error: unknown) => {
      if (isNotPublic(error)) return null
      throw error
    })
    if (answer === null) return notAllowed(`this subgraph is not asked: ${judged.url.hostname} has an address that is not public`)
    const { status, value } = answer
    const parsed = Answer.safeParse(value)
    const messages = parsed.success ? (parsed.data.errors ?? []).map(({ message }) => message.slice(0, MAX_MESSAGE_LENGTH)) : []
    const said = messages.slice(0, MAX_MESSAGES).join('; ')
    // errors without `data`: the query was refused
    if (messages.length > 0 && (status === 400 || status < 300) && parsed.data?.data === undefined)
      return { ok: false, reason: 'invalid', detail: `${label} refuses the query: ${said}` }
    if (status > 299) throw new SourceError(label, 'refused', `expected status 200, got ${status}${said === '' ? '' : `: ${said}`}`)
    if (!parsed.success) throw new SourceError(label, 'bad-answer', 'expected the data of a GraphQL answer')
    const data = parsed.data.data ?? null
    if (data === null && messages.length === 0) throw new SourceError(label, 'bad-answer', 'expected data or errors, got neither')
    return {
      ok: true,
      value: { label, data, trouble: messages.length === 0 ? null : `${label}: ${said}` },
    }
  }
}

function notAllowed(detail: string): SubgraphOutcome {
  return { ok: false, reason: 'not-allowed', detail }
}
