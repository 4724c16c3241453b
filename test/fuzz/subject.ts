/** A subject of fuzzing: a generator of cases and the property that each must satisfy. */
import type { Arbitrary } from 'fast-check'

export interface FuzzRun<T> {
  readonly arbitrary: Arbitrary<T>
  /** Throws when the property is violated; the subject must remain usable for the next case. */
  check(value: T): void | Promise<void>
  close?(): Promise<void>
}

export interface FuzzSubject<T = never> {
  readonly name: string
  readonly cases: number
  /** Milliseconds after which a case counts as hanging. */
  readonly caseLimitMs: number
  open(): Promise<FuzzRun<T>>
}

/** Erases the type of the cases, which only the subject uses. */
export function defineSubject<T>(subject: FuzzSubject<T>): FuzzSubject {
  return subject as unknown as FuzzSubject
}
