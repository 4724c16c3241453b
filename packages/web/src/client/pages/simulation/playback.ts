/** What a moment of a recording has: its frame, the faults that last, the marks of a timeline. */
import type { FaultMark, Frame, Machine, MachineFrame, ProcessState } from '../../../shared/recording/index.ts'

/** The index of the last frame that is not later; 0 before the first. `frames` are in the order of their times. */
export function frameIndexAt(frames: readonly Pick<Frame, 'atMs'>[], atMs: number): number {
  let low = 0
  let high = frames.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((frames[middle]?.atMs ?? 0) <= atMs) low = middle
    else high = middle - 1
  }
  return low
}

export function lastsAt({ atMs, durationMs }: Pick<FaultMark, 'atMs' | 'durationMs'>, nowMs: number): boolean {
  return atMs <= nowMs && nowMs < atMs + durationMs
}

/** Faults without a duration count for as long as one frame lasts. */
export function faultsAt(faults: readonly FaultMark[], nowMs: number, everyMs: number): readonly FaultMark[] {
  return faults.filter(({ atMs, durationMs }) => lastsAt({ atMs, durationMs: Math.max(durationMs, everyMs) }, nowMs))
}

export const FAULT_GROUPS = ['machines', 'links', 'L1'] as const
export type FaultGroup = (typeof FAULT_GROUPS)[number]

export function groupOf({ kind, victim }: Pick<FaultMark, 'kind' | 'victim'>): FaultGroup {
  if (victim === 'network' || /partition|link/.test(kind)) return 'links'
  return victim === 'l1' || kind.startsWith('l1-') ? 'L1' : 'machines'
}

export interface Span {
  readonly from: number
  readonly to: number
}

/** Spans in parts of the whole, 0 to 1. Those that touch within a column become one, so that there are never more than columns. */
export function timelineSpans(marks: readonly Pick<FaultMark, 'atMs' | 'durationMs'>[], endMs: number, columns = 600): readonly Span[] {
  const column = (ms: number) => Math.min(columns - 1, Math.floor((columns * ms) / Math.max(1, endMs)))
  const spans: { from: number; to: number }[] = []
  for (const { atMs, durationMs } of [...marks].sort((a, b) => a.atMs - b.atMs)) {
    const from = column(atMs)
    const to = column(atMs + durationMs) + 1
    const last = spans.at(-1)
    if (last !== undefined && from < last.to) last.to = Math.max(last.to, to)
    else spans.push({ from, to })
  }
  return spans.map(({ from, to }) => ({ from: from / columns, to: to / columns }))
}

export type MachineState = ProcessState | 'no power' | 'absent'

/** The worst state of a machine's processes, and whether only some of them have it. */
export function stateOf(frame: MachineFrame | undefined): { readonly state: MachineState; readonly isPartial: boolean } {
  if (frame === undefined || (frame.power && frame.processes.length === 0)) return { state: 'absent', isPartial: false }
  if (!frame.power) return { state: 'no power', isPartial: false }
  const { processes } = frame
  const state = (['dead', 'frozen'] as const).find((one) => processes.includes(one)) ?? 'running'
  return { state, isPartial: processes.some((one) => one !== state) }
}

/** "running", "consensus frozen", "no power". */
export function stateWords({ roles }: Machine, frame: MachineFrame | undefined): string {
  const { state, isPartial } = stateOf(frame)
  if (!isPartial) return state
  return `${roles.filter((_, i) => frame?.processes[i] === state).join(', ')} ${state}`
}

/** The machine of a victim, which is a machine, one of its processes or the network. */
export function machineOfVictim(victim: string): string {
  return victim.split('/')[0] ?? ''
}

export interface Scale {
  readonly from: number
  readonly to: number
}

/** Round ends around all numbers, so that the scale moves seldom. */
export function scaleOf(numbers: readonly number[], step: number): Scale {
  const lowest = numbers.reduce((least, one) => Math.min(least, one), numbers[0] ?? 0)
  const highest = numbers.reduce((most, one) => Math.max(most, one), 0)
  const from = Math.floor(lowest / step) * step
  return { from, to: Math.max(from + step, Math.ceil((highest + 1) / step) * step) }
}

/** Hours, minutes and seconds. */
export function clockText(ms: number): string {
  const sec = Math.floor(ms / 1000)
  return [sec / 3_600, (sec % 3_600) / 60, sec % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')
}
