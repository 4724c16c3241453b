/**
 * How long a thread was at each of several reads that take turns on it: the time that the thread was busy is divided
 * among those that had begun and not ended.
 */
export interface TimeShare {
  begin(read: number): void
  /** Milliseconds since it began; 0 for one that did not begin. */
  end(read: number): number
}

/** `busyMs` only grows: time in which the thread did not wait. */
export function createTimeShare(busyMs: () => number): TimeShare {
  const reads = new Map<number, number>()
  let dividedMs = busyMs()
  const divide = () => {
    const nowMs = busyMs()
    const share = (nowMs - dividedMs) / reads.size
    dividedMs = nowMs
    for (const [read, ms] of reads) reads.set(read, ms + share)
  }
  return {
    begin(read) {
      divide()
      reads.set(read, 0)
    },
    end(read) {
      divide()
      const ms = reads.get(read) ?? 0
      reads.delete(read)
      return ms
    },
  }
}
