/** A connection in both directions, such as a TCP socket; iterating it reads. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
  readonly host: string
  readonly port: number
  /** Resolves when more can be written. Rejects when the stream is closed. */
  write(data: Uint8Array): Promise<void>
  /** Closes after what was written is sent. */
  end(): void
  destroy(): void
}
