/** With `keepClock` the clock stops while nothing runs, so that a pause causes no empty blocks. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmScript } from '@keelson/runtime'
import { DevnetError } from '../devnet-error.ts'

export const CLOCK_FILE = 'clock.json'

export interface NetworkTime {
  /** A multiple of one second. */
  readonly offsetMs: number
  beat(): void
}

export interface NetworkTimeOptions {
  readonly firstStart: boolean
  readonly keepClock: boolean
}

interface ClockRecord {
  readonly networkTimeMs: number
  /** How far `keelson devnet time` moved the clock forward, in all. */
  readonly aheadMs: number
}

export function openNetworkTime(folder: string, nowMs: () => number, { firstStart, keepClock }: NetworkTimeOptions): NetworkTime {
  const last = firstStart ? null : readClock(folder)
  const aheadMs = last?.aheadMs ?? 0
  const pausedMs = last === null || !keepClock ? 0 : Math.max(0, nowMs() + aheadMs - last.networkTimeMs)
  const offsetMs = aheadMs - Math.floor(pausedMs / 1000) * 1000
  return {
    offsetMs,
    beat: () => writeClock(folder, { networkTimeMs: nowMs() + offsetMs, aheadMs }),
  }
}

/** The network must be stopped. With `keepClock` it continues `byMs` after its last time. Throws DevnetError `node/usage`. */
export function moveClock(folder: string, byMs: number): void {
  const last = readClock(folder)
  if (last === null) throw new DevnetError('node/usage', `there is no network in ${folder}: start one with ${npmScript('start', folder)}`)
  writeClock(folder, { networkTimeMs: last.networkTimeMs + byMs, aheadMs: last.aheadMs + byMs })
}

function writeClock(folder: string, record: ClockRecord): void {
  const file = join(folder, CLOCK_FILE)
  writeFileSync(`${file}.partial`, JSON.stringify(record))
  renameSync(`${file}.partial`, file)
}

function readClock(folder: string): ClockRecord | null {
  try {
    const { networkTimeMs, aheadMs } = JSON.parse(readFileSync(join(folder, CLOCK_FILE), 'utf8')) as Partial<ClockRecord>
    return typeof networkTimeMs === 'number' ? { networkTimeMs, aheadMs: typeof aheadMs === 'number' ? aheadMs : 0 } : null
  } catch {
    return null
  }
}
