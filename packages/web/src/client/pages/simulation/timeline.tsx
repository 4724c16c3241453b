import { memo } from 'react'
import type { Recording } from '../../../shared/recording/index.ts'
import { clockText, FAULT_GROUPS, groupOf, timelineSpans } from './playback.ts'

const ROW = 9
const WIDTH = 1_000

export interface TimelineProps {
  readonly recording: Recording
  readonly index: number
  show(index: number): void
}

/** Marks of faults and violations above a slider over all frames. */
export function Timeline({ recording, index, show }: TimelineProps) {
  const { frames } = recording
  const atMs = frames[index]?.atMs ?? 0
  const endMs = frames.at(-1)?.atMs ?? 0
  return (
    <div className="sim-timeline">
      <div className="sim-marks">
        <Marks recording={recording} />
        <span className="sim-now" style={{ left: `${(100 * atMs) / Math.max(1, endMs)}%` }} aria-hidden="true" />
      </div>
      <input
        type="range"
        min={0}
        max={frames.length - 1}
        value={index}
        aria-label="Time of the simulation"
        aria-valuetext={`${clockText(atMs)} of ${clockText(endMs)}`}
        onChange={(event) => show(Number(event.target.value))}
      />
      <div className="sim-legend">
        <span className="number">
          <strong>{clockText(atMs)}</strong> of {clockText(endMs)}
        </span>
        {FAULT_GROUPS.map((group) => (
          <span key={group} className={`sim-key is-${group}`}>
            {group === 'L1' ? 'faults of L1' : `faults of ${group}`}
          </span>
        ))}
        <span className="sim-key is-violation">violations</span>
      </div>
    </div>
  )
}

/** Does not change while a recording plays. */
const Marks = memo(function Marks({ recording: { faults, violations, frames } }: { readonly recording: Recording }) {
  const endMs = frames.at(-1)?.atMs ?? 0
  const broken = violations.map(({ atMs }) => ({ atMs, durationMs: 0 }))
  const rows = [
    ...FAULT_GROUPS.map((group) => ({
      group,
      spans: timelineSpans(
        faults.filter((one) => groupOf(one) === group),
        endMs,
      ),
    })),
    { group: 'violation', spans: timelineSpans(broken, endMs) },
  ]
  return (
    <svg viewBox={`0 0 ${WIDTH} ${ROW * rows.length}`} preserveAspectRatio="none" aria-hidden="true">
      {rows.map(({ group, spans }, row) =>
        spans.map(({ from, to }) => (
          <rect
            key={`${group}-${from}`}
            className={`sim-mark is-${group}`}
            x={from * WIDTH}
            y={row * ROW + 1}
            width={Math.max(2, (to - from) * WIDTH)}
            height={ROW - 2}
          />
        )),
      )}
    </svg>
  )
})
