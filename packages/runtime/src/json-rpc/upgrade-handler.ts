import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { originOf } from '../http/request-origin.ts'
import { retryAfter } from '../http/retry-after.ts'
import { requestFault } from '../http/server/request-fault.ts'
import { useOriginForm } from '../http/server/request-target.ts'
import { limitedClient, type RpcAccess } from './access/rpc-access.ts'
import { MIN_BLOCK_HEADER, type MinBlock } from './min-block.ts'
import { isAllowedOrigin } from './origin.ts'
import type { RequestRefusal } from './request-refusal.ts'
import type { SocketHandler } from './socket-handler.ts'

export interface UpgradeHandlerOptions {
  readonly enabled: boolean
  readonly origins: readonly string[]
  readonly access: RpcAccess | null
  /** Null for a server without a chain. */
  readonly minBlock: MinBlock | null
  readonly refusal: RequestRefusal
  readonly sockets: Pick<SocketHandler, 'accept'>
}

/** Decides whether a request becomes a WebSocket connection. */
export function createUpgradeHandler({ enabled, origins, access, minBlock, refusal, sockets }: UpgradeHandlerOptions) {
  return async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // A peer may disconnect during the refusal.
    socket.on('error', () => socket.destroy())
    useOriginForm(request)
    // ws reads a list of protocols as one name.
    request.headers.upgrade = 'websocket'
    const fault = requestFault(request, () => 'GET')
    if (fault !== null) return refuseUpgrade(socket, fault.status, fault.message)
    if (!enabled) return refuseUpgrade(socket, 404, 'this port does not speak WebSocket')
    const refused = await refusal(request)
    if (refused !== null) return refuseUpgrade(socket, refused.status, refused.message)
    const { origin } = request.headers
    if (origin !== undefined && !isAllowedOrigin(origin, origins)) return refuseUpgrade(socket, 403, `origin ${origin} is not allowed`)
    const entry = access?.identify(originOf(request))
    if (entry?.ok === false) return refuseUpgrade(socket, entry.status, entry.message, entry.waitMs)
    const wanted = request.headers[MIN_BLOCK_HEADER]
    if (minBlock !== null && typeof wanted === 'string') {
      const gone = new AbortController()
      const abort = () => gone.abort()
      socket.once('close', abort)
      const behind = await minBlock.await(wanted, limitedClient(entry?.caller), gone.signal)
      socket.off('close', abort)
      if (socket.destroyed) return
      if (behind !== null) return refuseUpgrade(socket, behind.status, behind.message)
    }
    sockets.accept(request, socket, head)
  }
}

function refuseUpgrade(socket: Duplex, status: number, message: string, waitMs?: number): void {
  const later = waitMs === undefined ? '' : `retry-after: ${retryAfter(waitMs)}\r\n`
  const body = `${message}\n`
  // Nothing reads from it, so its end would not be seen.
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nconnection: close\r\n${later}content-type: text/plain\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
