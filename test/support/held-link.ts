import { createServer, Socket } from 'node:net'

/** A TCP connection to a server, which passes on only as many bytes of the server as a test allows. */
export interface HeldLink {
  /** Lets all connections together receive this many bytes more, in which earlier unused ones are included. */
  allow(bytes: number): void
  /** Passes on nothing until the next `allow`. */
  hold(): void
  close(): Promise<void>
}

export async function openHeldLink(port: number, target: number): Promise<HeldLink> {
  let left = 0
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket }>()
  const passOn = () => {
    for (const { near, far } of pairs) {
      for (let size = Math.min(left, far.readableLength); size > 0; size = Math.min(left, far.readableLength)) {
        near.write(far.read(size))
        left -= size
      }
    }
  }
  const server = createServer((near) => {
    const far = new Socket()
    const pair = { near, far }
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
    near.on('data', (bytes) => far.write(bytes))
    far.on('readable', passOn)
    far.connect(target, '127.0.0.1')
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  return {
    allow(bytes) {
      left = Math.max(left, bytes)
      passOn()
    },
    hold() {
      left = 0
    },
    async close() {
      for (const { near } of pairs) near.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
