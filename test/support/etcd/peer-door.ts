/** The way from the other members of etcd to one of them. A test can close it for some, as a partition of the network does. */
import { createServer, Socket } from 'node:net'

export interface PeerDoor {
  /** Where the member is reached by the others. */
  readonly port: number
  /** Whether bytes to and from the member behind the door `from` get through; by default they do. */
  set(from: number, isOpen: boolean): void
  close(): Promise<void>
}

/** Members name themselves in the first request of a connection, by the address at which they are reached. */
const SENDER = /^x-peerurls: http:\/\/127\.0\.0\.1:(\d+)/im

interface Connection {
  readonly near: Socket
  readonly far: Socket
  from: number | null
}

export async function openPeerDoor(port: number, target: number): Promise<PeerDoor> {
  const closedTo = new Set<number>()
  const connections = new Set<Connection>()
  const end = (connection: Connection) => {
    connections.delete(connection)
    connection.near.destroy()
    connection.far.destroy()
  }
  const server = createServer((near) => {
    const connection: Connection = { near, far: new Socket(), from: null }
    const { far } = connection
    connections.add(connection)
    for (const socket of [near, far]) socket.on('error', () => end(connection)).on('close', () => end(connection))
    const isOpen = () => connection.from === null || !closedTo.has(connection.from)
    near.on('data', (bytes) => {
      if (connection.from === null) connection.from = Number(SENDER.exec(bytes.toString('latin1'))?.[1] ?? 0) || null
      if (isOpen()) far.write(bytes)
    })
    far.on('data', (bytes) => void (isOpen() && near.write(bytes)))
    far.connect(target, '127.0.0.1')
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  return {
    port,
    set(from, isOpen) {
      if (!isOpen) closedTo.add(from)
      // What was lost stays lost, so no old connection continues.
      else if (closedTo.delete(from)) for (const connection of connections) if (connection.from === from) end(connection)
    },
    async close() {
      for (const connection of connections) end(connection)
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
