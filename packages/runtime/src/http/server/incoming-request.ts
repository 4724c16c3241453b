/**
 * RFC 9110 section 7.8: a server ignores an upgrade to a protocol that it does not speak. Java's HttpClient asks for h2c with every
 * request without TLS. Node has one switch for all protocols, so the class of its requests decides which of them are an upgrade.
 */
import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const WEB_SOCKET = /(?:^|,)\s*websocket\s*(?:,|$)/i
/** For each socket, the bytes that it had read at the end of its last request that asked for an upgrade; 0 before the first. */
const bytesBefore = new WeakMap<Socket, number>()

/** Node reads `upgrade` when the headers are complete. */
export class IncomingRequest extends IncomingMessage {
  // A class field would be assigned after the constructor of Node, which assigns `upgrade`.
  declare private asksForUpgrade: boolean | undefined
  declare private mayUpgrade: boolean | undefined

  get upgrade(): boolean {
    return this.mayUpgrade === true && (this.method === 'CONNECT' || isWebSocketUpgrade(this))
  }
  /** Node assigns what the request asks for, and then, if that is an upgrade, whether the server takes any. */
  set upgrade(value: boolean | undefined) {
    this.mayUpgrade = value
    this.asksForUpgrade ||= value
  }

  get ignoresUpgrade(): boolean {
    return this.asksForUpgrade === true && !this.upgrade
  }
}

/** RFC 6455 section 4.1: a GET request. */
export function isWebSocketUpgrade({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && WEB_SOCKET.test(headers.upgrade ?? '')
}

/**
 * Node's parser stops behind a request that asks for an upgrade, and loses what it read beyond its end, such as the next requests of a
 * client that does not wait for answers. The connection therefore closes after the answer (RFC 9112 section 9.3.2: the client sends
 * them again), unless the bytes read show that there was nothing beyond the end. `target` is as it was sent.
 */
export function closeUnlessAllIsRead(request: IncomingMessage, target: string, response: ServerResponse): void {
  const { socket } = request
  const { shouldKeepAlive } = response
  const length = messageLength(request, target)
  const begin = bytesBefore.get(socket) ?? 0
  const decide = () => {
    response.shouldKeepAlive = shouldKeepAlive && length !== null && socket.bytesRead - begin === length
  }
  decide()
  request.once('end', () => {
    if (!response.headersSent) decide()
    bytesBefore.set(socket, socket.bytesRead)
  })
}

/** Length in bytes of the request on the wire, if each colon is followed by one space; null for a chunked body. */
function messageLength({ method, rawHeaders, headers }: IncomingMessage, target: string): number | null {
  if (headers['transfer-encoding'] !== undefined) return null
  const line = `${method} ${target} HTTP/1.1\r\n`
  let bytes = line.length + '\r\n'.length + Number(headers['content-length'] ?? 0)
  for (let i = 0; i < rawHeaders.length; i += 2)
    bytes += (rawHeaders[i] as string).length + (rawHeaders[i + 1] as string).length + ': \r\n'.length
  return bytes
}
