/** The driver's inputs, in order of arrival. News about L1 replaces older news of its kind; the rest is capped. */
import type { DriverInput } from './driver-api.ts'

export interface InputQueue {
  push(input: DriverInput): 'queued' | 'full'
  /** Everything that waits, which is then gone. */
  drain(): readonly DriverInput[]
  readonly size: number
}

export function createInputQueue(maxInputs: number): InputQueue {
  let inputs: DriverInput[] = []
  return {
    push(input) {
      if (input.kind !== 'unsafe-payload') {
        inputs = [...inputs.filter((other) => other.kind !== input.kind), input]
        return 'queued'
      }
      if (inputs.length >= maxInputs) return 'full'
      inputs.push(input)
      return 'queued'
    },
    drain() {
      const all = inputs
      inputs = []
      return all
    },
    get size() {
      return inputs.length
    },
  }
}
