import { setMaxListeners } from 'node:events'
import type { Clock } from '@keelson/primitives'

/** Returns the milliseconds until the next step; undefined means the interval. */
export type PollStep = (signal: AbortSignal) => Promise<number | undefined> | Promise<void>

export interface PollOptions {
  readonly clock: Clock
  readonly intervalMs: number | (() => number)
  readonly waitFirst?: boolean
  /** Wait after failed steps, doubled each time. Default: the interval. */
  readonly backoff?: Backoff
  /**
   * Handles a failed step: the loop continues, after the returned milliseconds if any, unless it throws. Without it an error ends
   * the loop.
   */
  readonly onError?: ((error: unknown) => number | undefined) | ((error: unknown) => void)
}

export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
}

/** Repeats a step until `signal` aborts; an error of the step then in progress is dropped. */
export async function pollLoop(step: PollStep, { signal, ...options }: PollOptions & { readonly signal: AbortSignal }): Promise<void> {
  const { clock, onError } = options
  const intervalMs = () => (typeof options.intervalMs === 'number' ? options.intervalMs : options.intervalMs())
  let failures = 0
  if (options.waitFirst) await pause(clock, intervalMs(), signal)
  while (!signal.aborted) {
    let waitMs: number | null = null
    try {
      waitMs = (await step(signal)) ?? null
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      if (onError === undefined) throw error
      waitMs = onError(error) ?? (options.backoff === undefined ? null : backoffMs(options.backoff, failures++))
    }
    await pause(clock, waitMs ?? intervalMs(), signal)
  }
}

/** `failures` counts earlier failures in a row. */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** failures)
}

async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return
  await clock.sleep(ms, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

export interface Poller {
  readonly signal: AbortSignal
  /** Rejects with the error that ended the loop. */
  readonly failure: Promise<never>
  start(): void
  stop(): Promise<void>
}

export function createPoller(step: PollStep, options: PollOptions): Poller {
  const stopping = new AbortController()
  const { signal } = stopping
  // each request of a step that runs many at once listens to it
  setMaxListeners(0, signal)
  let fail: (error: unknown) => void = () => undefined
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  failure.catch(() => undefined)
  let loop: Promise<void> = Promise.resolve()
  return {
    signal,
    failure,
    start() {
      loop = pollLoop(step, { ...options, signal }).catch(fail)
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }
}
