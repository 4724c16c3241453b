/** Failures of assembling and running roles; each message says what to do. */
import { NodeError } from '@keelson/primitives'

export type NodeErrorCode =
  /** A compiled dependency did not load; the operator reinstalls or accepts slow crypto by option. */
  | 'node/native-module'
  /** Command line or configuration cannot be used as given. */
  | 'node/usage'
  /** The parent chain did not answer at start; the operator starts it, a supervisor tries again. */
  | 'node/l1-unreachable'
  /** A role of the development network could not be brought up. */
  | 'node/devnet'
  /** A chain file could be imported only in part, or not at all. */
  | 'node/import'
  /** The operator ended a command before it was done. */
  | 'node/interrupted'
  /** The chain would refuse, or refused, what was to be sent to it. */
  | 'node/refused'
  /** The control socket of a running node could not be used, or its node said no. */
  | 'node/control'
  /** The KZG worker failed. */
  | 'node/kzg'

export class AssemblyError extends NodeError<NodeErrorCode> {}
