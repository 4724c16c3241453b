/** A kind of request to a judge, and the generator of its cases. */
import type { Arbitrary } from 'fast-check'

export interface JudgeSubject {
  readonly name: string
  /** The kind of request, which the judge must support. */
  readonly kind: string
  /** The latest fork that a case needs, which the judge must support. */
  readonly fork: string
  /** Cases in a full run. */
  readonly cases: number
  /** Generates request lines, or functions that build one. */
  readonly arbitrary: Arbitrary<string | (() => Promise<string>)>
}
