import type { ByteStream } from './rlpx/byte-stream.ts'

/** TCP, or a network in memory. */
export interface PeerTransport {
  /** Rejects when the address cannot be reached or `signal` aborts. */
  dial(host: string, port: number, signal: AbortSignal): Promise<ByteStream>
  /** Resolves to the port when it listens. */
  listen(onStream: (stream: ByteStream) => void): Promise<Listening>
}

export interface Listening {
  readonly host: string
  readonly port: number
  close(): Promise<void>
}
