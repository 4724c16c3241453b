export interface ByteBudget {
  tryTake(bytes: number): boolean
  release(bytes: number): void
  readonly used: number
}

export function createByteBudget(maxBytes: number): ByteBudget {
  let used = 0
  return {
    tryTake(bytes) {
      if (used + bytes > maxBytes) return false
      used += bytes
      return true
    },
    release(bytes) {
      used -= bytes
    },
    get used() {
      return used
    },
  }
}
