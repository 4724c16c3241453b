/** A binary heap of events. */
import type { SimProcess } from './sim-process.ts'

export interface SimEvent {
  /** Simulated microseconds since 1970. */
  readonly atUs: number
  /** Order of events at one time: by owner, in an order that the seed decides, then as scheduled. */
  readonly tie: number
  readonly order: number
  /** Null for the world, which no fault stops. */
  readonly owner: SimProcess | null
  readonly what: string
  readonly act: () => void
  cancelled: boolean
}

export class EventQueue {
  readonly #heap: SimEvent[] = []

  get size(): number {
    return this.#heap.length
  }

  get first(): SimEvent | undefined {
    return this.#heap[0]
  }

  push(event: SimEvent): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(event)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (isBefore(heap[parent] as SimEvent, event)) break
      heap[at] = heap[parent] as SimEvent
      at = parent
    }
    heap[at] = event
  }

  pop(): SimEvent | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (last !== undefined && heap.length > 0) this.#sink(last)
    return first
  }

  #sink(event: SimEvent): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as SimEvent, heap[child] as SimEvent)) child++
      if (isBefore(event, heap[child] as SimEvent)) break
      heap[at] = heap[child] as SimEvent
      at = child
    }
    heap[at] = event
  }
}

function isBefore(a: SimEvent, b: SimEvent): boolean {
  if (a.atUs !== b.atUs) return a.atUs < b.atUs
  if (a.tie !== b.tie) return a.tie < b.tie
  return a.order < b.order
}
