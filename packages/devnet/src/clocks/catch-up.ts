/** Reports how far the chain is behind real time after a pause. */
import { type Clock, counted } from '@keelson/primitives'

export interface CatchUpDependencies {
  readonly head: () => Promise<{ readonly number: number; readonly timestampSec: number }>
  readonly nowMs: () => number
  readonly clock: Clock
  readonly say: (line: string) => void
  readonly report: (event: CatchUpEvent) => void
}

export type CatchUpEvent =
  | { readonly event: 'catching-up'; readonly block: number; readonly behindSec: number }
  | { readonly event: 'caught-up'; readonly block: number; readonly blocks: number; readonly tookMs: number }

export interface CatchUp {
  look(): Promise<boolean>
  wait(patienceMs: number, signal: AbortSignal): Promise<boolean>
}

const CURRENT_SEC = 10
const BEHIND_SEC = 30
const LOOK_MS = 200
const REPORT_MS = 10_000

export function createCatchUp({ head, nowMs, clock, say, report }: CatchUpDependencies): CatchUp {
  let began: { readonly block: number; readonly behindSec: number; readonly atMs: number } | null = null
  let reportedMs = 0
  let done = false

  async function look(): Promise<boolean> {
    if (done) return true
    const { number, timestampSec } = await head()
    const behindSec = Math.max(0, Math.floor(nowMs() / 1000) - timestampSec)
    const atMs = clock.nowMs()
    if (behindSec <= (began === null ? BEHIND_SEC : CURRENT_SEC)) {
      done = true
      if (began === null) return true
      const [blocks, tookMs] = [number - began.block, atMs - began.atMs]
      say(`caught up with real time at block ${number}: ${counted(blocks, 'block')} in ${(tookMs / 1000).toFixed(1)} s`)
      report({ event: 'caught-up', block: number, blocks, tookMs })
      return true
    }
    if (began !== null && atMs - reportedMs < REPORT_MS) return false
    if (began === null) {
      began = { block: number, behindSec, atMs }
      say(
        `catching up: block ${number} is ${describeSpan(behindSec)} behind real time, and blocks without transactions are built as fast as they can be; ` +
          '--keep-clock continues at the time of the last stop instead',
      )
    } else {
      const gainedPerMs = (began.behindSec - behindSec) / (atMs - began.atMs)
      const left = gainedPerMs > 0 ? `, about ${describeSpan(Math.ceil(behindSec / gainedPerMs / 1000))} left` : ''
      say(`catching up: block ${number} is ${describeSpan(behindSec)} behind real time${left}`)
    }
    reportedMs = atMs
    report({ event: 'catching-up', block: number, behindSec })
    return false
  }

  return {
    look,
    async wait(patienceMs, signal) {
      const untilMs = clock.nowMs() + patienceMs
      for (;;) {
        if (await look().catch(() => false)) return true
        if (clock.nowMs() >= untilMs) return false
        await clock.sleep(LOOK_MS, signal)
      }
    },
  }
}

function describeSpan(sec: number): string {
  if (sec < 300) return `${sec} s`
  if (sec < 7_200) return `${Math.round(sec / 60)} min`
  return sec < 172_800 ? `${(sec / 3_600).toFixed(1)} h` : `${(sec / 86_400).toFixed(1)} days`
}
