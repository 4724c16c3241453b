import type { Arbitrary } from 'fast-check'

export interface JudgeSubject {
  readonly name: string
  readonly kind: string
  readonly fork: string
  readonly cases: number
  readonly arbitrary: Arbitrary<string | (() => Promise<string>)>
}
