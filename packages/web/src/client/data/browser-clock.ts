/** Real time, as ports of the pages. The network's clock may differ from the reader's. */
let skewMs = 0

/** Time of the network. */
export function nowMs(): number {
  return Date.now() + skewMs
}

/** Learns the network's time from an answer. Differences below a second are delays of the answer. */
export function setNetworkTime(timeMs: number): void {
  const skew = timeMs - Date.now()
  if (Math.abs(skew - skewMs) > 1_000) skewMs = Math.abs(skew) > 1_000 ? skew : 0
}

/** Both return the function that cancels. */
export function every(ms: number, act: () => void): () => void {
  const timer = setInterval(act, ms)
  return () => clearInterval(timer)
}

export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms)
  return () => clearTimeout(timer)
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    after(ms, resolve)
  })
}
