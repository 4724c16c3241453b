import { NodeError } from '@keelson/primitives'

export type VerifyProblem =
  | 'not-found'
  | 'delegation'
  | 'no-compiler'
  | 'compile-failed'
  | 'compile-limit'
  | 'mismatch'
  | 'constructor-arguments'
  | 'rate-limited'
  | 'busy'
  | 'full'

/** A verification that is refused, with what the caller can do. */
export class VerifyRefusal extends NodeError<'apps/index-verify'> {
  readonly problem: VerifyProblem
  readonly expected: string
  readonly retryAfterSec: number | null
  constructor(problem: VerifyProblem, message: string, expected: string, retryAfterSec: number | null = null) {
    super('apps/index-verify', message)
    this.problem = problem
    this.expected = expected
    this.retryAfterSec = retryAfterSec
  }
}
