export interface Service {
  readonly name: string
  /** Resolves when the service is up; `signal` may abort before that. */
  start(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
  /** A failure stops the whole role. */
  readonly failure?: Promise<never>
}
