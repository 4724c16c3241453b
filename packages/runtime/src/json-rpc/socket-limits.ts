export interface SocketLimits {
  readonly maxConnections: number
  /** Trusted networks are exempt. */
  readonly maxConnectionsPerClient: number
  readonly maxBufferedBytes: number
  /** Messages beyond this wait in the socket. */
  readonly maxMessagesInFlight: number
  readonly pingIntervalMs: number
}

export const DEFAULT_SOCKET_LIMITS: SocketLimits = {
  maxConnections: 500,
  maxConnectionsPerClient: 100,
  maxBufferedBytes: 16 * 1024 * 1024,
  maxMessagesInFlight: 32,
  pingIntervalMs: 30_000,
}
