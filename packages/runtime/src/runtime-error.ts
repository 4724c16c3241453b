import { NodeError, type Severity } from '@keelson/primitives'

export type RuntimeErrorCode =
  | 'runtime/port-in-use'
  | 'runtime/port-refused'
  | 'runtime/address-unavailable'
  | 'runtime/jwt-secret'
  | 'runtime/node-key'
  | 'runtime/api-keys'
  | 'runtime/store-locked'
  | 'runtime/store-corrupt'
  | 'runtime/store-open'
  | 'runtime/store-write'
  | 'runtime/data-directory-chain'
  | 'runtime/data-directory-version'
  | 'runtime/data-directory-unreadable'
  | 'runtime/start-timeout'
  | 'runtime/not-leader'

export class RuntimeError extends NodeError<RuntimeErrorCode> {
  readonly severity: Severity = 'critical'
}
