export interface ByteBudget {
  /** `caller` is null for one that has no share of its own. */
  tryTake(bytes: number, caller?: string | null): boolean
  release(bytes: number, caller?: string | null): void
  readonly used: number
}

/** One caller gets `maxBytesPerCaller` of the bytes at most. */
export function createByteBudget(maxBytes: number, maxBytesPerCaller = maxBytes): ByteBudget {
  let used = 0
  const byCaller = new Map<string, number>()
  const add = (bytes: number, caller: string | null) => {
    used += bytes
    if (caller === null) return
    const held = (byCaller.get(caller) ?? 0) + bytes
    if (held > 0) byCaller.set(caller, held)
    else byCaller.delete(caller)
  }
  return {
    tryTake(bytes, caller = null) {
      if (used + bytes > maxBytes) return false
      if (caller !== null && (byCaller.get(caller) ?? 0) + bytes > maxBytesPerCaller) return false
      add(bytes, caller)
      return true
    },
    release(bytes, caller = null) {
      add(-bytes, caller)
    },
    get used() {
      return used
    },
  }
}
