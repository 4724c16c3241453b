/** What is wrong with a request for every port, whatever the port serves. */
import type { IncomingMessage } from 'node:http'
import { isLocalHost } from '../../json-rpc/origin.ts'

export type HttpFaultKind =
  | 'malformed'
  | 'host'
  | 'method'
  | 'path'
  | 'too-slow'
  | 'too-long'
  | 'content-coding'
  | 'transfer-coding'
  | 'version'

export interface HttpFault {
  readonly kind: HttpFaultKind
  readonly status: number
  /** A sentence for the sender. */
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

/** RFC 9110 section 9.1 and RFC 5789; a server that knows others lists them. */
const COMMON_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])
/** RFC 3986 section 3.2.2, with a port. A name may have any characters but those that begin another part of a URL. */
const HOST = /^(\[[0-9A-Fa-f:.%]+\]|[^\s/?#@[\]\\,:]*)(:\d*)?$/

/** Returns the value of `Allow` for a target, or null for a target that does not exist. */
export type AllowedMethods = (target: string) => string | null

export function requestFault(request: IncomingMessage, allowed: AllowedMethods): HttpFault | null {
  const { headers, httpVersionMajor, httpVersionMinor } = request
  if (httpVersionMajor !== 1) return versionFault(request.httpVersion)
  const host = hostFault(request)
  if (host !== null) return host
  const transfer = headers['transfer-encoding']
  if (transfer !== undefined) {
    // RFC 9112 section 6.1
    if (httpVersionMinor === 0) return malformed('Transfer-Encoding needs HTTP/1.1')
    if (transfer.trim().toLowerCase() !== 'chunked') return transferFault(transfer)
  }
  const coding = headers['content-encoding']
  if (coding !== undefined && !/^\s*(identity\s*)?$/i.test(coding)) return codingFault(coding)
  return COMMON_METHODS.has(request.method ?? '') ? null : methodFault(request.method ?? '', request.url ?? '/', allowed)
}

/** A page of another site must not reach this server under a name of its own (DNS rebinding). */
export function hostNameFault({ headers }: IncomingMessage, virtualHosts: readonly string[] | null): HttpFault | null {
  if (virtualHosts === null || isLocalHost(headers.host, virtualHosts)) return null
  const name = (headers.host ?? '').slice(0, 80)
  return { kind: 'host', status: 403, message: `this server does not answer to the host name ${name}; its operator can list it` }
}

export function malformed(what: string): HttpFault {
  return { kind: 'malformed', status: 400, message: what }
}

export function methodFault(method: string, target: string, allowed: AllowedMethods): HttpFault {
  const allow = allowed(target)
  if (allow === null) return { kind: 'path', status: 404, message: 'this path does not exist' }
  return { kind: 'method', status: 405, message: `${method} is not served here; use ${allow}`, headers: { allow } }
}

export function versionFault(version: string): HttpFault {
  return { kind: 'version', status: 505, message: `this server speaks HTTP/1.1, not HTTP/${version}` }
}

/** RFC 9112 section 6.1 */
export function transferFault(coding: string): HttpFault {
  const message = `the transfer coding ${coding.slice(0, 80)} is not implemented; send Content-Length or chunked`
  return { kind: 'transfer-coding', status: 501, message }
}

/** RFC 9110 sections 8.4 and 12.5.3 */
function codingFault(coding: string): HttpFault {
  const message = `a body with Content-Encoding ${coding.slice(0, 80)} cannot be read; send it without`
  return { kind: 'content-coding', status: 415, message, headers: { 'accept-encoding': 'identity' } }
}

/** RFC 9112 section 3.2 */
function hostFault({ headers, rawHeaders }: IncomingMessage): HttpFault | null {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (isHost(rawHeaders[i] as string)) hosts++
  if (hosts > 1) return { kind: 'host', status: 400, message: 'the request has more than one Host header' }
  if (HOST.test(headers.host ?? '')) return null
  return { kind: 'host', status: 400, message: 'the Host header is no host name or address with a port' }
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host'
}
