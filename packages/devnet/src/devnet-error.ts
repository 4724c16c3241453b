import { NodeError } from '@keelson/primitives'

export type DevnetErrorCode =
  /** The command line or a network's files cannot be used. */
  | 'node/usage'
  /** A part of the devnet does not start. */
  | 'node/devnet'

export class DevnetError extends NodeError<DevnetErrorCode> {}
