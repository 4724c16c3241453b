import { connect, createServer, type Socket } from 'node:net'

export interface CountingProxy {
  readonly port: number
  /** Both directions. */
  bytes(): number
  close(): Promise<void>
}

export async function openCountingProxy(to: { readonly host: string; readonly port: number }): Promise<CountingProxy> {
  let bytes = 0
  const sockets = new Set<Socket>()
  const server = createServer((here) => {
    const there = connect(to)
    for (const [socket, other] of [
      [here, there],
      [there, here],
    ] as const) {
      sockets.add(socket)
      socket.on('data', (chunk) => {
        bytes += chunk.length
      })
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    port: address.port,
    bytes: () => bytes,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
