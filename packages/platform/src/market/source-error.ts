/** A source of data that gave none: which one, and why. Answered to callers as a temporary outage, never as a figure. */
import { NodeError, type Severity } from '@keelson/primitives'

export type SourceFailure =
  /** No connection, or it broke. */
  | 'unreachable'
  | 'timeout'
  /** It answered with an error. */
  | 'refused'
  /** What it answered cannot be used. */
  | 'bad-answer'
  | 'too-large'
  /** What it has is older than may be used. */
  | 'stale'
  | 'not-configured'

export class SourceError extends NodeError<'platform/source'> {
  readonly code = 'platform/source'
  readonly severity: Severity = 'temporary'
  /** Name and host of the source; never a path or a key. */
  readonly source: string
  readonly reason: SourceFailure
  constructor(source: string, reason: SourceFailure, why: string, options?: ErrorOptions) {
    super(`${source}: ${why}`, { source, reason }, options)
    this.source = source
    this.reason = reason
  }
}
