/**
 * The network's own time: that of the machine, so that what the chain calls an hour ago was an hour ago, and after a pause
 * the chain catches up. With `keepClock` it stands still while nothing runs, so that a pause makes no empty blocks: the time
 * of the last heartbeat is kept beside the data and the next start continues from there.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'clock.json'

export interface NetworkTime {
  /** Added to the machine's clock by every role; zero or negative, whole seconds in milliseconds. */
  readonly offsetMs: number
  /** Records that the network has lived until now. */
  beat(): void
}

export interface NetworkTimeOptions {
  /** Ignores what an earlier network left behind. */
  readonly firstStart: boolean
  readonly keepClock: boolean
}

export function openNetworkTime(folder: string, nowMs: () => number, { firstStart, keepClock }: NetworkTimeOptions): NetworkTime {
  const file = join(folder, FILE)
  const lastMs = firstStart || !keepClock ? null : readLast(file)
  const pausedMs = lastMs === null ? 0 : Math.max(0, nowMs() - lastMs)
  // whole seconds, because the block times of L1 and L2 are
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
