/** For an absent block or view, methods return null instead of throwing. */
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
  | 'state/bad-download'

export class StateError extends SeverityError<StateErrorCode> {}
