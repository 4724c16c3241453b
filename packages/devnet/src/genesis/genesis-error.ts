/** Failures of making a genesis; none of them is an operator's mistake except an unknown or unsupported fork. */
import { NodeError, type Severity } from '@keelson/primitives'

export type GenesisErrorCode =
  /** A contract refused what building the genesis asked of it. */
  | 'node/genesis-execution'
  /** Deployed code is not what the protocol's specification says. */
  | 'node/genesis-code-hash'
  /** Artifacts or the prebuilt network are missing or damaged. */
  | 'node/genesis-files'
  /** The parameters cannot give a network. */
  | 'node/genesis-parameters'

export class GenesisError extends NodeError<GenesisErrorCode> {
  readonly severity: Severity = 'critical'
}
