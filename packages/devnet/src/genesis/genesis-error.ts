import { NodeError, type Severity } from '@keelson/primitives'

export type GenesisErrorCode = 'node/genesis-execution' | 'node/genesis-code-hash' | 'node/genesis-files' | 'node/genesis-parameters'

export class GenesisError extends NodeError<GenesisErrorCode> {
  readonly severity: Severity = 'critical'
}
