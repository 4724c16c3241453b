/** RFC 9112 section 3.2.2: a server accepts the absolute form of a target, whose authority replaces the Host header. */
import type { IncomingMessage } from 'node:http'

const ABSOLUTE = /^https?:\/\/(?:[^/?#@]*@)?([^/?#@]*)/i

export function useOriginForm(request: IncomingMessage): void {
  const { url = '/' } = request
  if (url.charCodeAt(0) === 0x2f) return
  const absolute = ABSOLUTE.exec(url)
  if (absolute === null) return
  const rest = url.slice(absolute[0].length)
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  request.headers.host = absolute[1] as string
}
