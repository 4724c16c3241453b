/** One kind of question to a judge, and how its cases are made. */
import type { Arbitrary } from 'fast-check'

export interface JudgeSubject {
  readonly name: string
  /** The kind of request, which the judge must know. */
  readonly kind: string
  /** The latest fork that a case needs, which the judge must know. */
  readonly fork: string
  /** Cases of a whole run. */
  readonly cases: number
  /** The lines that the judge reads, or how one is made. */
  readonly arbitrary: Arbitrary<string | (() => Promise<string>)>
}
