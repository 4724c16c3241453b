import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '@keelson/primitives'
import { type IpNetwork, isInNetworks, parseIpAddress, subscriberOf } from './ip-address.ts'
import { retryAfter } from './retry-after.ts'

export interface ConnectionGroups {
  connectionGroup(peer: string | undefined): string | null
}

export interface ConnectionLimit {
  readonly maxPerAddress: number
  readonly log: Logger
  readonly throttle: (write: (suppressed: number) => void) => void
}

const WAIT_MS = 1000
const THIS_MACHINE = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

export function groupBySubscriber(proxies: readonly IpNetwork[] = []): ConnectionGroups {
  return {
    connectionGroup(peer) {
      const address = peer === undefined || THIS_MACHINE.has(peer) ? null : parseIpAddress(peer)
      return address === null || isInNetworks(address, proxies) ? null : subscriberOf(address)
    },
  }
}

export function limitConnections(server: Server, groups: ConnectionGroups, { maxPerAddress, log, throttle }: ConnectionLimit): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const group = groups.connectionGroup(socket.remoteAddress)
    if (group === null) return
    const count = (open.get(group) ?? 0) + 1
    if (count > maxPerAddress) {
      throttle((suppressed) => log.warn('refusing connections of one address: limit reached', { maxPerAddress, suppressed }))
      const body = `this address has reached the limit of ${maxPerAddress} open connections\n`
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
