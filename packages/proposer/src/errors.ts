import { NodeError } from '@keelson/primitives'

export type ProposerErrorCode =
  | 'proposer/oracle'
  /** The oracle expects another account: check the private key. */
  | 'proposer/not-the-proposer'
  | 'proposer/output-mismatch'
  /** Usually L1 reorganized, or another proposer was first. */
  | 'proposer/reverted'

export class ProposerError extends NodeError<ProposerErrorCode> {}
