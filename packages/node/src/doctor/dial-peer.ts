/** libp2p peers begin with this multistream-select message. */
import { connect } from 'node:net'

const HELLO = Buffer.from('\u0013/multistream/1.0.0\n', 'latin1')

export interface PeerAddress {
  readonly host: string
  readonly port: number
}

export function parsePeerAddress(address: string): PeerAddress | null {
  const match = /^\/(?:ip4|ip6|dns|dns4|dns6)\/([^/]+)\/tcp\/(\d{1,5})(?:\/|$)/.exec(address)
  return match === null ? null : { host: match[1] as string, port: Number(match[2]) }
}

export function dialPeer({ host, port }: PeerAddress, timeoutMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const end = (why: string | null) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(why)
    }
    const timer = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs)
    let received = Buffer.alloc(0)
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
    socket.once('close', () => end('it closed the connection without a word'))
    socket.once('connect', () => socket.write(HELLO))
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (received.length < HELLO.length) return
      end(received.subarray(0, HELLO.length).equals(HELLO) ? null : 'what listens there is not a libp2p node')
    })
  })
}
