/** Failures of the batcher. */
import { type ErrorDetails, NodeError, type Severity } from '@keelson/primitives'

export type BatcherErrorCode =
  /** Options that contradict one another or the chain. */
  | 'batcher/config'
  /** The execution client does not have a block that the consensus client named; it will come. */
  | 'batcher/block-missing'
  /** A block holds something that cannot be batched. */
  | 'batcher/block-unbatchable'

export class BatcherError extends NodeError<BatcherErrorCode> {
  readonly code: BatcherErrorCode
  readonly severity: Severity
  constructor(code: BatcherErrorCode, severity: Severity, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, details, options)
    this.code = code
    this.severity = severity
  }
}
