/** Callers receive a temporary outage, never a substitute figure. */
import { NodeError, type Severity } from '@keelson/primitives'

export type SourceFailure = 'unreachable' | 'timeout' | 'refused' | 'bad-answer' | 'too-large' | 'stale' | 'not-configured'

export class SourceError extends NodeError<'platform/source'> {
  readonly severity: Severity = 'temporary'
  /** Never contains a path or a key. */
  readonly source: string
  readonly reason: SourceFailure
  constructor(source: string, reason: SourceFailure, why: string, options?: ErrorOptions) {
    super('platform/source', `${source}: ${why}`, { source, reason }, options)
    this.source = source
    this.reason = reason
  }
}
