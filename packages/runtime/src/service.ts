/** The life of a role: services start in order, stop in reverse, and stopping never takes longer than its budget. */

/** Something that runs until it is stopped. */
export interface Service {
  readonly name: string
  /** Resolves when it serves. `signal` aborts when this service is to stop, also while it is still starting. */
  start(signal: AbortSignal): Promise<void>
  /** Resolves when nothing of it runs any more; called only after a start, once. */
  stop(): Promise<void>
  /** Rejects when the service cannot go on by itself; the whole role then stops. */
  readonly failure?: Promise<never>
}
