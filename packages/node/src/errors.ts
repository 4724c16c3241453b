import { NodeError } from '@keelson/primitives'

export type NodeErrorCode =
  | 'node/native-module'
  | 'node/usage'
  /** A file of --config cannot be used. */
  | 'node/config-file'
  | 'node/l1-unreachable'
  | 'node/devnet'
  /** A development network that is not ready yet; ask again. */
  | 'node/starting'
  | 'node/import'
  | 'node/interrupted'
  /** The chain rejected a transaction, or would reject it. */
  | 'node/refused'
  | 'node/control'
  | 'node/kzg'
  /** Another library computed another result for a block. */
  | 'node/second-opinion'

export class AssemblyError extends NodeError<NodeErrorCode> {}

/** EX_TEMPFAIL of sysexits: the same command may succeed in a moment. */
export const EXIT_STARTING = 75
