/** Those who wait until there may be work. */
export interface Wakers {
  wait(): Promise<void>
  wake(): void
}

export function createWakers(): Wakers {
  let waiting: (() => void)[] = []
  return {
    wait: () => new Promise<void>((resolve) => waiting.push(resolve)),
    wake() {
      const all = waiting
      waiting = []
      for (const resolve of all) resolve()
    },
  }
}
