import type { RpcPayer } from './access/rpc-access.ts'

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
