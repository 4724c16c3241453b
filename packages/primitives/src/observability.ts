export type LogFields = Readonly<Record<string, unknown>>

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  child(name: string): Logger
}

export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number
  /** Monotonic milliseconds with fractions. */
  monotonicMs(): number
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Randomness, seeded in simulations. */
export interface Random {
  bytes(length: number): Uint8Array
  /** Uniform in [0, 1). */
  next(): number
}
