import type { RpcPayer } from './access/rpc-access.ts'
import { invalidParams } from './rpc-error.ts'

export interface RpcContext {
  /** Aborted when the caller disconnects or the deadline passes. */
  readonly signal: AbortSignal
  readonly transport: 'http' | 'ws'
  readonly caller?: RpcPayer
  /** False when the connection is closed or too slow. */
  readonly notify?: (method: string, params: unknown) => boolean
  /** Sends a text at once; `notify` waits until the response is sent. */
  readonly push?: (text: string) => boolean
  /** The reason has at most 123 bytes. */
  readonly disconnect?: (reason: string) => void
  readonly connection?: object
  readonly onClose?: (callback: () => void) => void
}

/** The result must be JSON (hex, never bigint or bytes) or RawJson. */
export type RpcHandler = (params: readonly unknown[], context: RpcContext) => unknown | Promise<unknown>
export type RpcMethods = Readonly<Record<string, RpcHandler>>

/** Geth's text; the number follows. */
export const TOO_MANY_ARGUMENTS = 'too many arguments, want at most'

/** Like geth and op-node, refuses calls with more parameters than the method takes. A method that `most` does not name has no limit. */
export function limitArguments(methods: RpcMethods, most: Readonly<Record<string, number>>): RpcMethods {
  return Object.fromEntries(Object.entries(methods).map(([name, handler]) => [name, limited(handler, most[name])]))
}

function limited(handler: RpcHandler, most: number | undefined): RpcHandler {
  if (most === undefined) return handler
  return (params, context) => {
    if (params.length > most) throw invalidParams(`${TOO_MANY_ARGUMENTS} ${most}`)
    return handler(params, context)
  }
}
