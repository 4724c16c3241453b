/** Forwards TCP connections with a delay in each direction, because not every kernel has netem. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dialerAddress, hubAddress, nodeAddress, P2P_PORT, relayPort } from './lab.ts'

/** Bytes in flight in one direction; the sender waits beyond. */
const MAX_IN_FLIGHT_BYTES = 1024 * 1024

export interface Relays {
  close(): void
}

export async function openRelays(nodes: readonly number[], delayMs: number): Promise<Relays> {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  for (const from of nodes)
    for (const to of nodes) {
      if (from === to) continue
      const server = createServer((near) => {
        const far = connect({ host: nodeAddress(to), port: P2P_PORT, localAddress: dialerAddress(from) })
        for (const socket of [near, far]) sockets.add(socket.once('close', () => sockets.delete(socket)))
        copy(near, far, delayMs)
        copy(far, near, delayMs)
      })
      servers.push(server)
      await new Promise<void>((resolve) => server.listen(relayPort(from, to), hubAddress, resolve))
    }
  return {
    close() {
      for (const server of servers) server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function copy(source: Socket, target: Socket, delayMs: number): void {
  let inFlight = 0
  source.setNoDelay(true)
  source.on('data', (data) => {
    inFlight += data.length
    if (inFlight > MAX_IN_FLIGHT_BYTES) source.pause()
    setTimeout(() => {
      target.write(data, () => {
        inFlight -= data.length
        if (inFlight <= MAX_IN_FLIGHT_BYTES) source.resume()
      })
    }, delayMs)
  })
  source.on('end', () => setTimeout(() => target.end(), delayMs))
  source.on('error', () => setTimeout(() => target.destroy(), delayMs))
}
