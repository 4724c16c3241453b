/** The code begins with `consensus/`, as in earlier releases. */
import { type ErrorDetails, type Severity, SeverityError } from '@keelson/primitives'

export class ConductorError extends SeverityError<'consensus/conductor'> {
  constructor(severity: Severity, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super('consensus/conductor', severity, message, details, options)
  }
}
