/** Failures of the platform as a whole, which stop it; what a caller did wrong is an ApiError (http/api-error.ts). */
import { NodeError, type Severity } from '@keelson/primitives'

export type PlatformErrorCode =
  /** Another process holds the database of the data directory. */
  | 'platform/storage-locked'
  /** The database cannot be opened or reached. */
  | 'platform/storage-open'
  /** The database was made by another release than this one can go on from. */
  | 'platform/storage-migrations'
  /** The keys that sign tokens cannot be used. */
  | 'platform/token-keys'
  /** The file of wallets that may trade cannot be used. */
  | 'platform/trading-config'

export class PlatformError extends NodeError<PlatformErrorCode> {
  readonly severity: Severity = 'critical'
}
