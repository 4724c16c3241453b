/** The library replies as fast as a peer writes. */
import type { Clock } from '@keelson/primitives'
import { createTokenBucket } from '@keelson/runtime'
import { type Ping, type PingComponents, ping } from '@libp2p/ping'
import { paced } from './limited-source.ts'

const PING_BYTES = 32
/** Bytes per stream; a peer may open two. */
const ANSWERED = { perSec: 4 * PING_BYTES, burst: 16 * PING_BYTES }

export function guardedPing(clock: Clock): (components: PingComponents) => Ping {
  return (components) => {
    const registrar: PingComponents['registrar'] = Object.create(components.registrar)
    registrar.handle = (protocol, handler, options) =>
      components.registrar.handle(
        protocol,
        (incoming) => {
          const { stream } = incoming
          stream.source = paced(stream.source, PING_BYTES, createTokenBucket(ANSWERED, clock)) as typeof stream.source
          handler(incoming)
        },
        options,
      )
    return ping()({ registrar, connectionManager: components.connectionManager })
  }
}
