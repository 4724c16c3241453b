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
        const older = inputs.find((other) => other.kind === input.kind)
        inputs = [...inputs.filter((other) => other !== older), deeper(input, older)]
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

/** Of two reorgs that wait, the deeper one says how far back to look. */
function deeper(input: DriverInput, older: DriverInput | undefined): DriverInput {
  if (input.kind !== 'l1-reorg' || older?.kind !== 'l1-reorg') return input
  return { ...input, lastCommon: Math.min(input.lastCommon, older.lastCommon) }
}
