import type { ErrorDetails } from '@keelson/primitives'
import type { Drop, InspectionContext } from './inspection-context.ts'
import type { InspectionEvent } from './inspection-event.ts'

export class InspectionLog {
  readonly #context: InspectionContext
  #events: InspectionEvent[] = []

  constructor(context: InspectionContext) {
    this.#context = context
  }

  get l1Block(): number {
    return this.#context.origin.number
  }

  get length(): number {
    return this.#events.length
  }

  add(event: InspectionEvent): void {
    this.#events.push(event)
  }

  insert(at: number, event: InspectionEvent): void {
    this.#events.splice(at, 0, event)
  }

  addDrops(drops: readonly Drop[], more: ErrorDetails = {}): void {
    for (const { stage, reason, details } of drops) {
      this.add({ kind: 'drop', l1Block: this.l1Block, stage, reason, details: { ...more, ...details } })
    }
  }

  take(): readonly InspectionEvent[] {
    const taken = this.#events
    this.#events = []
    return taken
  }
}
