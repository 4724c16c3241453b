/** A broken promise of the network. */
export interface Violation {
  /** Simulated milliseconds since the start. */
  readonly atMs: number
  readonly rule: string
  readonly text: string
}

export type ReportViolation = (rule: string, text: string) => void
