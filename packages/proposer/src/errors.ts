/** Failures of the proposer. */
import { NodeError } from '@keelson/primitives'

export type ProposerErrorCode =
  /** The oracle at the configured address does not answer as an L2OutputOracle does. Check the address. */
  | 'proposer/oracle'
  /** The oracle takes proposals of another account only. Check the private key. */
  | 'proposer/not-the-proposer'
  /** The consensus client's answer contradicts itself: its output root does not follow from what it says of the block. */
  | 'proposer/output-mismatch'
  /** The proposal was mined but reverted; usually L1 reorganised or another proposer was first. */
  | 'proposer/reverted'

export class ProposerError extends NodeError<ProposerErrorCode> {
  readonly code: ProposerErrorCode
  constructor(code: ProposerErrorCode, message: string, details = {}, options?: ErrorOptions) {
    super(message, details, options)
    this.code = code
  }
}
