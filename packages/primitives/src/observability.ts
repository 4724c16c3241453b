/** Ports for logging, clock and randomness; implementations are in `runtime`. */
export type LogFields = Readonly<Record<string, unknown>>

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  child(name: string): Logger
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number
  /** Monotonic milliseconds with fractions, for measuring durations. */
  monotonicMs(): number
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A source of randomness, seeded in simulations. */
export interface Random {
  bytes(length: number): Uint8Array
  /** Uniform in [0, 1). */
  next(): number
}
