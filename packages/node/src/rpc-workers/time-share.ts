/** Divides busy time equally among the reads in progress. */
export interface TimeShare {
  begin(read: number): void
  /** Returns milliseconds; 0 for an unknown read. */
  end(read: number): number
}

/** `busyMs` returns the thread's total busy time. */
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
