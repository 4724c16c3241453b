const LONGEST_WAIT_MS = 60_000
const SHORTEST_CHECK_MS = 5

export interface ThreadDeadline {
  clear(): void
}

/**
 * If `ranMs` returns null, all time counts. `ranMs` is first called after `freeMs`, which do not count: reading the time of another
 * thread is slow.
 */
export function startThreadDeadline(ms: number, ranMs: () => number | null, expired: () => void, freeMs = 0): ThreadDeadline {
  const beganMs = performance.now()
  let ranBeforeMs: number | null = null
  let timer: NodeJS.Timeout
  const begin = () => {
    ranBeforeMs = ranMs()
    wait(ms)
  }
  const check = () => {
    const ranNowMs = ranMs()
    const leftMs = ranBeforeMs === null || ranNowMs === null ? 0 : ranBeforeMs + ms - ranNowMs
    if (leftMs <= 0 || performance.now() - beganMs >= LONGEST_WAIT_MS) expired()
    else wait(Math.max(SHORTEST_CHECK_MS, leftMs))
  }
  const wait = (forMs: number, then = check) => {
    timer = setTimeout(then, forMs)
    timer.unref()
  }
  if (freeMs === 0) begin()
  else wait(freeMs, begin)
  return { clear: () => clearTimeout(timer) }
}
