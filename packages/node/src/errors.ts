import { NodeError } from '@keelson/primitives'

export type NodeErrorCode =
  | 'node/native-module'
  | 'node/usage'
  | 'node/l1-unreachable'
  | 'node/devnet'
  /** A chain file was imported partly or not at all. */
  | 'node/import'
  | 'node/interrupted'
  /** The chain would reject, or rejected, a transaction. */
  | 'node/refused'
  | 'node/control'
  | 'node/kzg'
  /** Other libraries computed another result for a block than this node. */
  | 'node/second-opinion'

export class AssemblyError extends NodeError<NodeErrorCode> {}
