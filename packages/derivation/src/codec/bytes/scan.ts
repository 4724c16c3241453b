/** Decoding work in steps, so that one channel cannot block the thread. */

export type Scan<T> = Generator<void, T>

export function runScan<T>(scan: Scan<T>): T {
  for (;;) {
    const { done, value } = scan.next()
    if (done === true) return value
  }
}
