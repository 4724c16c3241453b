/** Requires a host of the operator's list and https. public-lookup.ts checks the resolved addresses. */
import { isIP } from 'node:net'

export type JudgedUrl = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly why: string }

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/

export function parseAllowedHost(text: string): string | null {
  const [, wildcard = '', name = ''] = /^(\*\.)?(.+)$/.exec(text.trim()) ?? []
  if (name.length > 253 || /[\s/\\?#@:%[\]*]/.test(name) || !URL.canParse(`https://${name}`)) return null
  const host = new URL(`https://${name}`).hostname
  return NAME.test(host) && isIP(host) === 0 ? `${wildcard}${host}` : null
}

/** `allowed` must come from parseAllowedHost. */
export function judgeCallerUrl(text: string, allowed: readonly string[]): JudgedUrl {
  const refuse = (why: string): JudgedUrl => ({ ok: false, why: `this subgraph is not asked: ${why}` })
  // characters that URL parsers treat differently
  if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) return refuse('expected a URL')
  const url = new URL(text)
  if (url.protocol !== 'https:') return refuse(`expected https, got ${url.protocol.slice(0, -1)}`)
  if (url.username !== '' || url.password !== '' || text.split(/[/?#]/)[2]?.includes('@'))
    return refuse('expected no user name or password')
  if (url.port !== '') return refuse(`expected the usual port of https, got ${url.port}`)
  const host = url.hostname
  if (host.startsWith('[') || isIP(host) !== 0) return refuse('expected the name of a host, got an IP address')
  if (!NAME.test(host)) return refuse('expected the full name of a host')
  if (!allowed.some((entry) => (entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry)))
    return refuse(
      allowed.length === 0
        ? 'callers may name none here, the operator allows hosts by --research.subgraph-hosts'
        : `${host} is not among the hosts that may be named`,
    )
  url.hash = ''
  return { ok: true, url }
}
