import { useEffect, useRef } from 'react'
import type { FaultMark, ViolationMark } from '../../../shared/recording/index.ts'
import { clockText, groupOf, lastsAt } from './playback.ts'

/** Longer lists are shown around the present time. */
const MOST_ENTRIES = 300
const MS_PER_SEC = 1_000

export interface StoryEntry {
  readonly key: string
  readonly atMs: number
  readonly durationMs: number
  readonly title: string
  readonly text: string
  readonly group: string
}

/** Faults and violations in the order of their times. */
export function tellStory(faults: readonly FaultMark[], violations: readonly ViolationMark[]): readonly StoryEntry[] {
  const entries = [
    ...faults.map((fault, i) => ({ ...fault, key: `fault ${i}`, title: fault.kind, group: groupOf(fault) })),
    ...violations.map(({ atMs, rule, text }, i) => ({
      key: `violation ${i}`,
      atMs,
      durationMs: 0,
      title: `Violation: ${rule}`,
      text,
      group: 'violation',
    })),
  ]
  return entries.sort((a, b) => a.atMs - b.atMs)
}

export interface StoryProps {
  readonly entries: readonly StoryEntry[]
  readonly atMs: number
  jump(atMs: number): void
}

/** A button for each entry, which shows the time at which it begins. */
export function Story({ entries, atMs, jump }: StoryProps) {
  const list = useRef<HTMLOListElement>(null)
  const newest = entries.findLastIndex((entry) => entry.atMs <= atMs)
  const first = Math.max(0, Math.min(entries.length - MOST_ENTRIES, newest - MOST_ENTRIES / 2))
  // The newest entry stays visible; the page itself does not move.
  useEffect(() => {
    const current = list.current?.children[Math.max(0, newest - first)]
    if (list.current === null || !(current instanceof HTMLElement)) return
    list.current.scrollTop = current.offsetTop - list.current.offsetTop - list.current.clientHeight / 2
  }, [newest, first])
  if (entries.length === 0) return <p className="empty">Nothing was disturbed, and no rule was broken.</p>
  return (
    <ol className="sim-story" ref={list}>
      {entries.slice(first, first + MOST_ENTRIES).map(({ key, atMs: began, durationMs, title, text, group }, i) => (
        <li
          key={key}
          className={`is-${group} ${began > atMs ? 'is-ahead' : ''} ${lastsAt({ atMs: began, durationMs }, atMs) ? 'is-now' : ''}`}
        >
          <button type="button" onClick={() => jump(began)} aria-current={first + i === newest ? 'step' : undefined}>
            <span className="time">{clockText(began)}</span>
            <span>
              <strong>{title}</strong> {text}
              {durationMs > 0 && <span className="muted">, for {Math.max(1, Math.round(durationMs / MS_PER_SEC))} s</span>}
            </span>
          </button>
        </li>
      ))}
    </ol>
  )
}
