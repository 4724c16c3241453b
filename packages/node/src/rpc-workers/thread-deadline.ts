const LONGEST_WAIT_MS = 60_000
const SHORTEST_CHECK_MS = 5

export interface ThreadDeadline {
  clear(): void
}

/** If `ranMs` returns null, all time counts. */
export function startThreadDeadline(ms: number, ranMs: () => number | null, expired: () => void): ThreadDeadline {
  const beganMs = performance.now()
  const ranBeforeMs = ranMs()
  let timer: NodeJS.Timeout
  const check = () => {
    const ranNowMs = ranMs()
    const leftMs = ranBeforeMs === null || ranNowMs === null ? 0 : ranBeforeMs + ms - ranNowMs
    if (leftMs <= 0 || performance.now() - beganMs >= LONGEST_WAIT_MS) expired()
    else wait(Math.max(SHORTEST_CHECK_MS, leftMs))
  }
  const wait = (forMs: number) => {
    timer = setTimeout(check, forMs)
    timer.unref()
  }
  wait(ms)
  return { clear: () => clearTimeout(timer) }
}
