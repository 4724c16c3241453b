import { NodeError } from '@keelson/primitives'

export type NodeErrorCode =
  /** A compiled dependency did not load. */
  | 'node/native-module'
  /** Invalid command line or configuration. */
  | 'node/usage'
  /** L1 did not answer at the start. */
  | 'node/l1-unreachable'
  /** A part of the devnet did not start. */
  | 'node/devnet'
  /** A chain file was imported partly or not at all. */
  | 'node/import'
  /** The operator ended a command early. */
  | 'node/interrupted'
  /** The chain would reject, or rejected, a transaction. */
  | 'node/refused'
  /** The control socket failed, or its node reported an error. */
  | 'node/control'
  | 'node/kzg'

export class AssemblyError extends NodeError<NodeErrorCode> {}
