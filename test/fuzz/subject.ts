import type { Arbitrary } from 'fast-check'

export interface FuzzRun<T> {
  readonly arbitrary: Arbitrary<T>
  check(value: T): void | Promise<void>
  close?(): Promise<void>
}

export interface FuzzSubject<T = never> {
  readonly name: string
  readonly cases: number
  readonly caseLimitMs: number
  open(): Promise<FuzzRun<T>>
}

export function defineSubject<T>(subject: FuzzSubject<T>): FuzzSubject {
  return subject as unknown as FuzzSubject
}
