import type { AddressInfo, Server } from 'node:net'
import { describeHolder, findListener } from '../process/who-holds.ts'
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
    const onError = (error: NodeJS.ErrnoException) => void listenError(error, options).then(reject, reject)
    server.once('error', onError)
    server.listen({ host: options.host, port: options.port }, () => {
      server.off('error', onError)
      resolve(server.address() as AddressInfo)
    })
  })
}

async function listenError(error: NodeJS.ErrnoException, options: ListenOptions): Promise<Error> {
  const { host, port, purpose, option } = options
  const details = { host, port }
  const cause = { cause: error }
  switch (error.code) {
    case 'EADDRINUSE':
      return portInUse(options, error)
    case 'EACCES':
      return new RuntimeError(
        'runtime/port-refused',
        `not allowed to open port ${port} on ${host} (${purpose}): ${elsewhere(option)}`,
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

async function portInUse({ host, port, purpose, option }: ListenOptions, cause: unknown): Promise<RuntimeError> {
  const text = `port ${port} on ${host} (${purpose}) is already in use${await usedBy(host, port)}, or ${elsewhere(option)}`
  return new RuntimeError('runtime/port-in-use', text, { host, port }, { cause })
}

function elsewhere(option: string | undefined): string {
  return option === undefined ? 'choose another port' : `choose another port with ${option}`
}

/** Who has the port, and what to do about it. */
async function usedBy(host: string, port: number): Promise<string> {
  const holder = await findListener(host, port)
  if (holder === null) return ': the program that had it has just ended; start again'
  if (holder.use === 'closing') return ': the system keeps it for a minute after a connection with that local port; wait a minute'
  const who = describeHolder(holder)
  return holder.use === 'connection' ? ` as the local port of a connection of ${who}: end that program` : ` by ${who}: stop that program`
}

export function serverUrl(scheme: 'http' | 'ws', address: AddressInfo): string {
  return `${scheme}://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
