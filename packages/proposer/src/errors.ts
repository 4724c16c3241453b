import { NodeError } from '@keelson/primitives'

export type ProposerErrorCode =
  | 'proposer/oracle'
  /** The oracle expects another account: check the private key. */
  | 'proposer/not-the-proposer'
  | 'proposer/output-mismatch'
  /** Usually after an L1 reorg, or another proposer was first. */
  | 'proposer/reverted'

export class ProposerError extends NodeError<ProposerErrorCode> {}
