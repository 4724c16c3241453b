export interface Heap<T> {
  readonly top: T | undefined
  push(element: T): void
  sink(): void
  dropTop(): void
}

export function createHeap<T>(isBefore: (a: T, b: T) => boolean): Heap<T> {
  const heap: T[] = []
  const swap = (i: number, j: number) => {
    const held = heap[i] as T
    heap[i] = heap[j] as T
    heap[j] = held
  }
  const sink = () => {
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      if (left >= heap.length) return
      const right = left + 1
      const child = right < heap.length && isBefore(heap[right] as T, heap[left] as T) ? right : left
      if (!isBefore(heap[child] as T, heap[at] as T)) return
      swap(at, child)
      at = child
    }
  }
  return {
    get top() {
      return heap[0]
    },
    push(element) {
      heap.push(element)
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1
        if (!isBefore(heap[at] as T, heap[parent] as T)) return
        swap(at, parent)
        at = parent
      }
    },
    sink,
    dropTop() {
      const last = heap.pop() as T
      if (heap.length === 0) return
      heap[0] = last
      sink()
    },
  }
}
