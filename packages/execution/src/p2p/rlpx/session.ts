import type { DisconnectReason } from './disconnect-reason.ts'

export interface RemoteNode {
  /** Public key, 64 bytes. */
  readonly id: Uint8Array
  readonly client: string
  readonly host: string
  readonly port: number
  readonly inbound: boolean
  /** Port on which the node says that it listens; 0 when it does not. */
  readonly listenPort: number
}

export interface Capability {
  readonly name: string
  readonly version: number
}

export interface SessionEnd {
  readonly reason: DisconnectReason
  readonly by: 'local' | 'remote'
  /** What broke the protocol, for the log. */
  readonly detail: string
}

export type MessageHandler = (code: number, payload: Uint8Array) => void

/** An encrypted connection after both hellos. */
export interface RlpxSession {
  readonly remote: RemoteNode
  /** The highest version of each name that both sides offer. */
  readonly capabilities: readonly Capability[]
  /** The payload is RLP, uncompressed. Resolves when more can be sent. Rejects with P2pError `p2p/closed` after the end. */
  send(capability: string, code: number, payload: Uint8Array): Promise<void>
  /** Codes count from the capability's first. Reading begins when each shared capability has its handler. A throwing handler ends the session. */
  onMessage(capability: string, handler: MessageHandler): void
  /** Resolves when the stream is closed. */
  disconnect(reason: DisconnectReason, detail?: string): Promise<void>
  readonly closed: Promise<SessionEnd>
}
