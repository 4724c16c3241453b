import type { Clock, Logger } from '@keelson/primitives'

export interface ProgressReading {
  /** Null until two readings are far enough apart. */
  readonly perSec: number | null
  readonly leftSec: number | null
}

export interface ProgressMeter {
  /** `of` is null when the end is not known. A smaller `done` begins again. */
  measure(done: number, of: number | null): ProgressReading
}

/** The rate is that of the last minute, so that it follows a change and ignores single steps. */
const WINDOW_MS = 60_000
const SAMPLE_MS = 2_000

export function createProgressMeter(clock: Pick<Clock, 'monotonicMs'>): ProgressMeter {
  let samples: { readonly atMs: number; readonly done: number }[] = []
  return {
    measure(done, of) {
      const atMs = clock.monotonicMs()
      if (done < (samples.at(-1)?.done ?? 0)) samples = []
      const last = samples.at(-1)
      if (last === undefined || atMs - last.atMs >= SAMPLE_MS)
        samples = [...samples.filter((one) => atMs - one.atMs <= WINDOW_MS), { atMs, done }]
      const [first] = samples
      if (first === undefined || atMs - first.atMs < SAMPLE_MS || done === first.done) return { perSec: null, leftSec: null }
      const perSec = ((done - first.done) * 1000) / (atMs - first.atMs)
      return { perSec, leftSec: of === null ? null : Math.max(0, of - done) / perSec }
    },
  }
}

/** `40 s`, `3 min 20 s`, `5 h 3 min`, rounded up. */
export function timeLeftText(seconds: number): string {
  const whole = Math.ceil(seconds)
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`
}

/** `copy: 12.5 % (250 of 2000), 40/s, 44 s left`; without `of` only what is known. */
export function progressText(what: string, done: number, of: number | null, { perSec, leftSec }: ProgressReading): string {
  const share = of === null || of === 0 ? `${done}` : `${((100 * done) / of).toFixed(1)} % (${done} of ${of})`
  const rate = perSec === null ? '' : `, ${perSec < 10 ? perSec.toFixed(1) : Math.round(perSec)}/s`
  return `${what}: ${share}${rate}${leftSec === null ? '' : `, ${timeLeftText(leftSec)} left`}`
}

export interface ProgressLog {
  /** Logs at most every ten seconds, and nothing when `done` has reached `of`. `of` is null when the end is not known. */
  note(done: number, of: number | null, fields?: Readonly<Record<string, unknown>>): void
}

const LOG_EVERY_MS = 10_000

export function createProgressLog(what: string, clock: Pick<Clock, 'monotonicMs'>, log: Logger): ProgressLog {
  const meter = createProgressMeter(clock)
  let loggedMs = clock.monotonicMs()
  return {
    note(done, of, fields = {}) {
      const { perSec, leftSec } = meter.measure(done, of)
      if (clock.monotonicMs() - loggedMs < LOG_EVERY_MS) return
      loggedMs = clock.monotonicMs()
      if (of !== null && done >= of) return
      log.info(what, {
        at: done,
        ...(of === null ? {} : { of }),
        ...(perSec === null ? {} : { perSec: Number(perSec.toPrecision(3)) }),
        ...(leftSec === null ? {} : { left: timeLeftText(leftSec) }),
        ...fields,
      })
    },
  }
}
