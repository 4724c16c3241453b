import type { PayloadEnvelope } from '@keelson/primitives'

export type DriverInput =
  | { readonly kind: 'unsafe-payload'; readonly envelope: PayloadEnvelope; readonly from: string }
  | { readonly kind: 'reset'; readonly reason: string }

export class DriverInputs {
  readonly #maxInputs: number
  #inputs: DriverInput[] = []
  #waiting: (() => void)[] = []

  constructor(maxInputs: number) {
    this.#maxInputs = maxInputs
  }

  /** Returns 'full' when a block was dropped. A reset replaces a pending one. */
  push(input: DriverInput): 'queued' | 'full' {
    if (input.kind === 'reset') this.#inputs = this.#inputs.filter(({ kind }) => kind !== 'reset')
    else if (this.#inputs.length >= this.#maxInputs) return 'full'
    this.#inputs.push(input)
    this.wake()
    return 'queued'
  }

  drain(): readonly DriverInput[] {
    const all = this.#inputs
    this.#inputs = []
    return all
  }

  get size(): number {
    return this.#inputs.length
  }

  wake(): void {
    const all = this.#waiting
    this.#waiting = []
    for (const resolve of all) resolve()
  }

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
