/** Failures of a conductor. The code begins with `consensus/`, under which earlier releases reported it. */
import { type ErrorDetails, NodeError, type Severity } from '@keelson/primitives'

export class ConductorError extends NodeError<'consensus/conductor'> {
  readonly code = 'consensus/conductor'
  readonly severity: Severity
  constructor(severity: Severity, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, details, options)
    this.severity = severity
  }
}
