import type { Server } from 'node:http'
import type { Clock, Logger } from '@keelson/primitives'
import { createLogThrottle } from '../log-throttle.ts'
import { customerOf } from './caller-networks.ts'
import { limitConnections } from './connection-limit.ts'

export interface ConnectionShares {
  readonly max: number
  /** Limit per IPv4 address or IPv6 /64. */
  readonly perCaller: number
  readonly perNetwork: number
}

/** `callerOf` returns null for exempt peers. */
export function shareConnections(
  server: Server,
  { max, perCaller, perNetwork }: ConnectionShares,
  callerOf: (peer: string | undefined) => string | null,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): void {
  server.maxConnections = max
  const throttle = createLogThrottle(clock)
  const networkOf = (peer: string | undefined) => {
    const caller = callerOf(peer)
    return caller === null ? null : customerOf(caller)
  }
  limitConnections(server, { connectionGroup: callerOf }, { maxPerAddress: perCaller, throttle, log })
  limitConnections(server, { connectionGroup: networkOf }, { maxPerAddress: perNetwork, throttle, log })
}
