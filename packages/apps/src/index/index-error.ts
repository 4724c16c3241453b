import { SeverityError } from '@keelson/primitives'

export type IndexErrorCode =
  | 'apps/index-storage-locked'
  | 'apps/index-storage-open'
  | 'apps/index-storage-version'
  | 'apps/index-other-chain'
  /** Another writer moved the cursor. */
  | 'apps/index-cursor-moved'
  | 'apps/index-bad-answer'

export class IndexError extends SeverityError<IndexErrorCode> {}
