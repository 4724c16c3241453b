import { type ErrorDetails, NodeError, type Severity } from '@keelson/primitives'

export type ExecutionErrorCode =
  | 'execution/wrong-network'
  | 'execution/schema-version'
  | 'execution/corrupt-record'
  | 'execution/missing-record'
  | 'execution/missing-state'
  | 'execution/genesis-mismatch'
  | 'execution/busy'
  | 'execution/half-imported'
  | 'execution/half-state'
  | 'execution/no-database'
  | 'execution/bad-snapshot'
  | 'execution/rollback-refused'
  | 'execution/supply-refused'
  | 'execution/pool-journal'
  | 'execution/unsupported-fork'
  | 'execution/stopped'

export class ExecutionError extends NodeError<ExecutionErrorCode> {
  readonly severity: Severity
  constructor(code: ExecutionErrorCode, message: string, details?: ErrorDetails, severity: Severity = 'critical', options?: ErrorOptions) {
    super(code, message, details, options)
    this.severity = severity
  }
}
