import { createServer, type Server, Socket } from 'node:net'

export type LinkState = 'whole' | 'cut' | 'answers-lost'

/** A TCP connection between two processes that a test can cut off without either side noticing. */
export interface Link {
  readonly port: number
  state: LinkState
  close(): Promise<void>
}

export async function openLink(port: number, target: number): Promise<Link> {
  let state: LinkState = 'whole'
  const pairs = new Set<readonly [Socket, Socket]>()
  const server: Server = createServer((near) => {
    const far = new Socket()
    const pair = [near, far] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    near.on('data', (bytes) => void (state === 'cut' || far.write(bytes)))
    far.on('data', (bytes) => void (state === 'whole' && near.write(bytes)))
    far.connect(target, '127.0.0.1')
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  return {
    port,
    get state() {
      return state
    },
    set state(next) {
      // What was lost stays lost, so no old connection continues.
      if (next === 'whole' && state !== 'whole') for (const sockets of pairs) for (const socket of sockets) socket.destroy()
      state = next
    },
    async close() {
      for (const sockets of pairs) for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
