import { type ErrorDetails, NodeError, type Severity } from '@keelson/primitives'

export type BatcherErrorCode =
  | 'batcher/config'
  /** Temporary: the consensus client is ahead of the execution client. */
  | 'batcher/block-missing'
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
