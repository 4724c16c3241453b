import type { TaskProgress } from '@keelson/execution'
import type { Clock } from '@keelson/primitives'
import { createProgressMeter, progressText } from '@keelson/runtime'

const ON_TERMINAL_MS = 200
const ELSEWHERE_MS = 10_000

export interface ProgressLine {
  readonly show: (progress: TaskProgress) => void
  resume(): string | null
  end(): void
}

export function createProgressLine(stream: { readonly isTTY?: boolean; write(text: string): unknown }, clock: Clock): ProgressLine {
  const terminal = stream.isTTY === true
  let shownMs = clock.monotonicMs()
  let resume: string | null = null
  let open = false
  let meter = createProgressMeter(clock)
  let phaseShown = ''
  return {
    show(progress) {
      resume = progress.resume
      const { phase, done, of } = progress
      if (phase !== phaseShown) meter = createProgressMeter(clock)
      phaseShown = phase
      const reading = meter.measure(done, of)
      const nowMs = clock.monotonicMs()
      if (nowMs - shownMs < (terminal ? ON_TERMINAL_MS : ELSEWHERE_MS)) return
      shownMs = nowMs
      const text = progressText(phase, done, of, reading)
      stream.write(terminal ? `\r\x1b[K${text}` : `${text}\n`)
      open = terminal
    },
    resume: () => resume,
    end() {
      if (open) stream.write('\r\x1b[K')
      open = false
    },
  }
}
