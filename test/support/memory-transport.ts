/** A network in memory: nodes listen at names, and dial names. */
import type { ByteStream, PeerTransport } from '@keelson/execution'
import { streamPair } from '../../packages/execution/src/p2p/rlpx/stream-pair.test-support.ts'

export interface MemoryNetwork {
  transport(host: string): PeerTransport
}

export function createMemoryNetwork(): MemoryNetwork {
  const listeners = new Map<string, (stream: ByteStream) => void>()
  return {
    transport: (host) => ({
      async dial(remoteHost, port) {
        const accept = listeners.get(`${remoteHost}:${port}`)
        if (accept === undefined) throw new Error(`nobody listens at ${remoteHost}:${port}`)
        const [ours, theirs] = streamPair({ host: remoteHost, port }, { host, port: 50_000 })
        accept(theirs)
        return ours
      },
      async listen(onStream) {
        listeners.set(`${host}:30303`, onStream)
        return { host, port: 30_303, close: async () => void listeners.delete(`${host}:30303`) }
      },
    }),
  }
}
