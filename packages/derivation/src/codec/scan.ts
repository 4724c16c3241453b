/** Work that is done in steps, so that one channel cannot hold the thread. */

/** Yields after each step; the result comes at the end. */
export type Scan<T> = Generator<void, T>

/** To the end at once. */
export function runScan<T>(scan: Scan<T>): T {
  for (;;) {
    const { done, value } = scan.next()
    if (done === true) return value
  }
}
