import { NodeError, type Severity } from '@keelson/primitives'

export type GenesisErrorCode =
  /** A contract reverted while the genesis was built. */
  | 'node/genesis-execution'
  /** Deployed code differs from the specification. */
  | 'node/genesis-code-hash'
  /** Artifacts or the prebuilt network are missing or corrupt. */
  | 'node/genesis-files'
  /** The parameters do not describe a valid network. */
  | 'node/genesis-parameters'

export class GenesisError extends NodeError<GenesisErrorCode> {
  readonly severity: Severity = 'critical'
}
