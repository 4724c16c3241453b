/** A thing to be fuzzed: how its cases are made and what must hold for each of them. */
import type { Arbitrary } from 'fast-check'

export interface FuzzRun<T> {
  readonly arbitrary: Arbitrary<T>
  /** Throws when the promise is broken. Must leave the subject usable for the next case. */
  check(value: T): void | Promise<void>
  close?(): Promise<void>
}

export interface FuzzSubject<T = never> {
  readonly name: string
  /** Cases of a whole run (`npm run fuzz` without `--cases`). */
  readonly cases: number
  /** Longest a single case may take, in ms; more is a hang. */
  readonly caseLimitMs: number
  open(): Promise<FuzzRun<T>>
}

/** Forgets the type of the cases, which only the subject itself knows. */
export function defineSubject<T>(subject: FuzzSubject<T>): FuzzSubject {
  return subject as unknown as FuzzSubject
}
