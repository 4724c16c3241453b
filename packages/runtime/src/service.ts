export interface Service {
  readonly name: string
  /** Resolves when the service is up; `signal` may abort before that. */
  start(signal: AbortSignal): Promise<void>
  /** Called at most once, after a start. */
  stop(): Promise<void>
  /** A failure stops the whole role. */
  readonly failure?: Promise<never>
}
