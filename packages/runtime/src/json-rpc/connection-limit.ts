/** No address holds so many connections that others find no place. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '@keelson/primitives'
import { retryAfter } from '../http/retry-after.ts'
import type { RpcAccess } from './access/rpc-access.ts'

export interface ConnectionLimit {
  readonly maxPerAddress: number
  readonly log: Logger
  readonly throttle: (write: (suppressed: number) => void) => void
}

const WAIT_MS = 1000

/** Refuses connections of a group above its part. Null for a group is a peer that is not limited, such as a proxy. */
export function limitConnections(
  server: Server,
  access: Pick<RpcAccess, 'connectionGroup'>,
  { maxPerAddress, log, throttle }: ConnectionLimit,
): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const group = access.connectionGroup(socket.remoteAddress)
    if (group === null) return
    const count = (open.get(group) ?? 0) + 1
    if (count > maxPerAddress) {
      throttle((suppressed) => log.warn('connections of one address are refused: it has as many as allowed', { maxPerAddress, suppressed }))
      const body = `this address has ${maxPerAddress} connections open, as many as allowed\n`
      socket.end(
        `HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: ${retryAfter(WAIT_MS)}\r\n` +
          `content-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
      socket.destroySoon()
      return
    }
    open.set(group, count)
    socket.once('close', () => {
      const left = (open.get(group) ?? 1) - 1
      if (left === 0) open.delete(group)
      else open.set(group, left)
    })
  })
}
