/** Failures of the proposer. */
import { NodeError } from '@keelson/primitives'

export type ProposerErrorCode =
  /** The oracle at the configured address does not answer as an L2OutputOracle does. Check the address. */
  | 'proposer/oracle'
  /** The proposal was mined but reverted; usually L1 reorganised or another proposer was first. */
  | 'proposer/reverted'

export class ProposerError extends NodeError<ProposerErrorCode> {
  readonly code: ProposerErrorCode
  constructor(code: ProposerErrorCode, message: string, details = {}, options?: ErrorOptions) {
    super(message, details, options)
    this.code = code
  }
}
