import type { AddressInfo, Server } from 'node:net'
import { RuntimeError } from '../runtime-error.ts'

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** Name for errors: "JSON-RPC over HTTP". */
  readonly purpose: string
  readonly option?: string
}

export function listen(server: Server, options: ListenOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(listenError(error, options))
    server.once('error', onError)
    server.listen({ host: options.host, port: options.port }, () => {
      server.off('error', onError)
      resolve(server.address() as AddressInfo)
    })
  })
}

function listenError(error: NodeJS.ErrnoException, { host, port, purpose, option }: ListenOptions): Error {
  const elsewhere = option === undefined ? 'choose another port' : `choose another port with ${option}`
  const details = { host, port }
  const cause = { cause: error }
  switch (error.code) {
    case 'EADDRINUSE':
      return new RuntimeError(
        'runtime/port-in-use',
        `port ${port} on ${host} (${purpose}) is already in use: stop the program that uses it, or ${elsewhere}`,
        details,
        cause,
      )
    case 'EACCES':
      return new RuntimeError(
        'runtime/port-refused',
        `not allowed to open port ${port} on ${host} (${purpose}): ${elsewhere}`,
        details,
        cause,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new RuntimeError(
        'runtime/address-unavailable',
        `this machine has no address ${host} to serve ${purpose} on: use 127.0.0.1, or 0.0.0.0 for all addresses`,
        details,
        cause,
      )
    default:
      return error
  }
}

export function serverUrl(scheme: 'http' | 'ws', address: AddressInfo): string {
  return `${scheme}://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
