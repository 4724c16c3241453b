/** Long work in steps, so that one channel cannot block the thread. Yields after each step and returns the result. */

export type Scan<T> = Generator<void, T>

export function runScan<T>(scan: Scan<T>): T {
  for (;;) {
    const { done, value } = scan.next()
    if (done === true) return value
  }
}
