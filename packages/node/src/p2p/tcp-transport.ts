import { type AddressInfo, connect, createServer } from 'node:net'
import type { PeerTransport } from '@keelson/execution'
import { listen } from '@keelson/runtime'
import { tcpStream } from './tcp-stream.ts'

const DIAL_MS = 5_000
/** Beyond it the kernel keeps connections waiting; accepted ones are limited by the network. */
const MAX_CONNECTIONS = 1_000

export function createTcpTransport(host: string, port: number): PeerTransport {
  return {
    dial: (remoteHost, remotePort, signal) =>
      new Promise((resolve, reject) => {
        const socket = connect({ host: remoteHost, port: remotePort })
        const fail = (error: unknown) => {
          socket.destroy()
          reject(error)
        }
        const abort = () => fail(signal.reason)
        if (signal.aborted) return abort()
        signal.addEventListener('abort', abort, { once: true })
        socket.setTimeout(DIAL_MS, () => fail(new Error(`no answer within ${DIAL_MS} ms`)))
        socket.once('error', fail)
        socket.once('close', () => signal.removeEventListener('abort', abort))
        socket.once('connect', () => {
          socket.setTimeout(0)
          signal.removeEventListener('abort', abort)
          resolve(tcpStream(socket))
        })
      }),
    async listen(onStream) {
      const server = createServer((socket) => onStream(tcpStream(socket)))
      server.maxConnections = MAX_CONNECTIONS
      const address: AddressInfo = await listen(server, { host, port, purpose: 'execution network', option: '--p2p.port' })
      return {
        host,
        port: address.port,
        close: () => new Promise((resolve) => void server.close(() => resolve())),
      }
    },
  }
}
