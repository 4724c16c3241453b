export function median(numbers: readonly number[]): number {
  if (numbers.length === 0) return Number.NaN
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

/** Nearest rank: the 99th percentile (`share` 0.99) of fewer than 100 numbers is the maximum. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export async function timed<T>(work: () => T | Promise<T>): Promise<readonly [T, number]> {
  const began = performance.now()
  const result = await work()
  return [result, performance.now() - began]
}

export class Stopwatch<Step extends string> {
  readonly #spentMs = new Map<Step, number>()

  sync<T>(step: Step, work: () => T): T {
    const began = performance.now()
    try {
      return work()
    } finally {
      this.add(step, performance.now() - began)
    }
  }

  async async<T>(step: Step, work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    try {
      return await work()
    } finally {
      this.add(step, performance.now() - began)
    }
  }

  add(step: Step, ms: number): void {
    this.#spentMs.set(step, this.ms(step) + ms)
  }

  ms(step: Step): number {
    return this.#spentMs.get(step) ?? 0
  }

  reset(): void {
    this.#spentMs.clear()
  }
}
