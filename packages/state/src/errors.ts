/** Failures of `state`. An absent block or view is null, not an error. */
import { type ErrorDetails, NodeError, type Severity } from '@keelson/primitives'

export type StateErrorCode =
  | 'state/not-initialised'
  | 'state/already-initialised'
  | 'state/unknown-parent'
  | 'state/missing-node'
  | 'state/missing-code'
  | 'state/bad-node'
  | 'state/corrupt-record'
  | 'state/stale-view'
  | 'state/busy'

export class StateError extends NodeError<StateErrorCode> {
  readonly code: StateErrorCode
  readonly severity: Severity
  constructor(code: StateErrorCode, severity: Severity, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, details, options)
    this.code = code
    this.severity = severity
  }
}
