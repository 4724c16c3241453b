/** An absent block or view is null, not an error. */
import { SeverityError } from '@keelson/primitives'

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

export class StateError extends SeverityError<StateErrorCode> {}
