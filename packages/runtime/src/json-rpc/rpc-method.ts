/** What a package offers over JSON-RPC: methods by name. No handler sees a socket. */
import type { RpcCaller } from './access/rpc-access.ts'

export interface RpcContext {
  /** Aborted when the caller has gone or the time for the request is over. */
  readonly signal: AbortSignal
  readonly transport: 'http' | 'ws'
  /** Absent where callers are not told apart. */
  readonly caller?: RpcCaller
  /**
   * Sends a notification on this connection (WebSocket only). Returns false when the connection is closed or too slow.
   * RawJson is sent as is.
   */
  readonly notify?: (method: string, params: unknown) => boolean
  /** Closes this connection (WebSocket only) and sends the reason, at most 123 bytes, to the client. */
  readonly disconnect?: (reason: string) => void
  /** The same for every call of one connection, and no other's (WebSocket only). */
  readonly connection?: object
  /** Called once when the connection closes (WebSocket only). */
  readonly onClose?: (callback: () => void) => void
}

/** `params` is the array as sent, empty when absent. The result must be JSON (hex, never bigint or bytes), or RawJson. */
export type RpcHandler = (params: readonly unknown[], context: RpcContext) => unknown | Promise<unknown>
export type RpcMethods = Readonly<Record<string, RpcHandler>>
