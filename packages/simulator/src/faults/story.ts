import type { Fault } from './fault-kind.ts'
import { faultKind } from './fault-kinds.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** A line for each fault. */
export function tellStory(faults: readonly Fault[]): readonly string[] {
  return faults.map((fault) => {
    const lasting = fault.durationMs === 0 ? '' : `, for ${Math.max(1, Math.round(fault.durationMs / SECOND_MS))} s`
    return `${timeOf(fault.atMs)}  ${fault.kind}: ${faultKind(fault.kind)?.tell(fault) ?? fault.victim}${lasting}`
  })
}

/** Hours, minutes and seconds. */
export function timeOf(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / HOUR_MS)}:${two((ms % HOUR_MS) / MINUTE_MS)}:${two((ms % MINUTE_MS) / SECOND_MS)}`
}
