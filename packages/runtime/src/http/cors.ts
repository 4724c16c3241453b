/** Cross-origin requests of browsers. Fetch Standard, section "CORS protocol". */
import type { IncomingHttpHeaders } from 'node:http'
import { isAllowedOrigin } from '../json-rpc/origin.ts'

export interface CorsRules {
  readonly origins: readonly string[]
  readonly methods: readonly string[]
  /** Request headers that a preflight allows when it asks for none. */
  readonly headers: readonly string[]
  /** Response headers that a page may read. */
  readonly exposed: readonly string[]
}

const PREFLIGHT_AGE_SEC = '600'
/** More than any wallet or page sends; a longer list is not repeated, which refuses the request. */
const MAX_NAMES = 64
const MAX_NAME_LENGTH = 128
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/**
 * Headers for every answer, and those of a preflight. A preflight allows the headers that it asks for, because wallets and libraries
 * add their own (`x-metamask-origin`), and because a page of an allowed origin may send what any program may send.
 */
export function corsHeaders(
  { method, headers }: { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders },
  { origins, methods, headers: usual, exposed }: CorsRules,
): Readonly<Record<string, string>> {
  const any = origins.includes('*')
  const { origin } = headers
  const asked = headers['access-control-request-headers']
  const preflight = method === 'OPTIONS'
  const vary = [
    ...(any || origins.length === 0 ? [] : ['origin']),
    ...(preflight && origins.length > 0 ? ['access-control-request-headers'] : []),
  ]
  const varied = vary.length === 0 ? {} : { vary: vary.join(', ') }
  if (origin === undefined || !isAllowedOrigin(origin, origins)) return varied
  const shared = { ...varied, 'access-control-allow-origin': any ? '*' : origin, 'access-control-expose-headers': exposed.join(', ') }
  if (!preflight) return shared
  return {
    ...shared,
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': (requestedHeaders(asked) ?? usual).join(', '),
    'access-control-max-age': PREFLIGHT_AGE_SEC,
  }
}

/** Null when the list is absent, too long, or has something that is no name. */
export function requestedHeaders(asked: string | string[] | undefined): readonly string[] | null {
  if (asked === undefined) return null
  const names = [asked]
    .flat()
    .join(',')
    .split(',', MAX_NAMES + 1)
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const isList = names.length > 0 && names.length <= MAX_NAMES && names.every((name) => name.length <= MAX_NAME_LENGTH && TOKEN.test(name))
  return isList ? names : null
}
