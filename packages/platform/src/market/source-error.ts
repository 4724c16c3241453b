/** A failure of a data source. Callers receive a temporary outage, never a substitute figure. */
import { NodeError, type Severity } from '@keelson/primitives'

export type SourceFailure =
  /** No connection, or a broken one. */
  | 'unreachable'
  | 'timeout'
  /** An error status. */
  | 'refused'
  /** An unusable answer. */
  | 'bad-answer'
  | 'too-large'
  /** Data beyond its maximum age. */
  | 'stale'
  | 'not-configured'

export class SourceError extends NodeError<'platform/source'> {
  readonly severity: Severity = 'temporary'
  /** Name and host of the source; never a path or a key. */
  readonly source: string
  readonly reason: SourceFailure
  constructor(source: string, reason: SourceFailure, why: string, options?: ErrorOptions) {
    super('platform/source', `${source}: ${why}`, { source, reason }, options)
    this.source = source
    this.reason = reason
  }
}
