/** Receives what happens to the compiled code of one engine instance. */
export interface TierObserver {
  /** A code became hot; not accepted when the compiler's queue is full. */
  requested(accepted: boolean): void
  /** Functions in the table after a change. */
  functions(count: number): void
  evicted(functions: number): void
  /** Frames that went on in the interpreter. */
  bailedOut(frames: number): void
}
