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

export class AssemblyError extends NodeError<NodeErrorCode> {}
