import { NodeError, type Severity } from '@keelson/primitives'

export type PlatformErrorCode =
  | 'platform/storage-locked'
  | 'platform/storage-open'
  | 'platform/storage-migrations'
  | 'platform/token-keys'
  | 'platform/trading-config'

export class PlatformError extends NodeError<PlatformErrorCode> {
  readonly severity: Severity = 'critical'
}
