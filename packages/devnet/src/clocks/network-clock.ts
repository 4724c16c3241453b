/** With `keepClock` the clock stops while nothing runs, so that a pause causes no empty blocks. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'clock.json'

export interface NetworkTime {
  /** Zero or negative, a multiple of one second. */
  readonly offsetMs: number
  beat(): void
}

export interface NetworkTimeOptions {
  readonly firstStart: boolean
  readonly keepClock: boolean
}

export function openNetworkTime(folder: string, nowMs: () => number, { firstStart, keepClock }: NetworkTimeOptions): NetworkTime {
  const file = join(folder, FILE)
  const lastMs = firstStart || !keepClock ? null : readLast(file)
  const pausedMs = lastMs === null ? 0 : Math.max(0, nowMs() - lastMs)
  const offsetMs = 0 - Math.floor(pausedMs / 1000) * 1000
  return {
    offsetMs,
    beat() {
      const partial = `${file}.partial`
      writeFileSync(partial, JSON.stringify({ networkTimeMs: nowMs() + offsetMs }))
      renameSync(partial, file)
    },
  }
}

function readLast(file: string): number | null {
  try {
    const { networkTimeMs } = JSON.parse(readFileSync(file, 'utf8')) as { networkTimeMs?: unknown }
    return typeof networkTimeMs === 'number' ? networkTimeMs : null
  } catch {
    return null
  }
}
