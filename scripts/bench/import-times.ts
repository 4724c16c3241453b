/** What one block cost, step by step, in milliseconds. */

export interface ImportTimes {
  /** From bytes to a block with its hash. */
  readonly decodeMs: number
  /** Sender recovery. */
  readonly sendersMs: number
  /** Everything not named otherwise: the transactions, receipts and checks of the header. */
  readonly executionMs: number
  readonly rootMs: number
  /** What must be on disk before the block counts. */
  readonly commitMs: number
  readonly totalMs: number
}

export const IMPORT_STEPS = ['decodeMs', 'sendersMs', 'executionMs', 'rootMs', 'commitMs', 'totalMs'] as const
