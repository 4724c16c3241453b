/** A file of constant size. A missing minute counts as downtime. */

export const SAMPLES_PER_MINUTE = 6
export const RING_MINUTES = 7 * 24 * 60
/** A larger step backwards resets the record: the clock was wrong. */
const CLOCK_TOLERANCE_MINUTES = 60

/** "KUPT" in ASCII. */
const MAGIC = 0x4b555054
const VERSION = 1
const HEADER_BYTES = 32

export interface UptimeRing {
  /** `minute` counts from 1970. Ignores minutes before the newest. */
  record(minute: number, goodSamples: number): void
  share(minutes: number): number | null
  shareSinceStart(): number | null
  readonly isEmpty: boolean
  encode(): Uint8Array
}

export function createUptimeRing(): UptimeRing {
  return ringOf({ first: 0, last: -1, totalGood: 0, good: new Uint8Array(RING_MINUTES) })
}

export function decodeUptimeRing(bytes: Uint8Array): UptimeRing | null {
  if (bytes.length !== HEADER_BYTES + RING_MINUTES) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(0) !== MAGIC || view.getUint32(4) !== VERSION) return null
  const [first, last, totalGood] = [8, 16, 24].map((offset) => view.getFloat64(offset)) as [number, number, number]
  const good = bytes.slice(HEADER_BYTES)
  const isWhole = [first, last, totalGood].every((value) => Number.isSafeInteger(value))
  if (!isWhole || first < 0 || last < first - 1 || totalGood < 0 || totalGood > (last - first + 1) * SAMPLES_PER_MINUTE) return null
  if (good.some((samples) => samples > SAMPLES_PER_MINUTE)) return null
  return ringOf({ first, last, totalGood, good })
}

interface RingState {
  /** `last` is below `first` in an empty ring. */
  first: number
  last: number
  totalGood: number
  /** Good samples, indexed by minute modulo the length. */
  readonly good: Uint8Array
}

function ringOf(state: RingState): UptimeRing {
  const isEmpty = () => state.last < state.first
  const count = () => state.last - state.first + 1

  function begin(minute: number): void {
    state.first = minute
    state.last = minute - 1
    state.totalGood = 0
    state.good.fill(0)
  }

  return {
    get isEmpty() {
      return isEmpty()
    },
    record(minute, goodSamples) {
      if (isEmpty() || minute < state.last - CLOCK_TOLERANCE_MINUTES) begin(minute)
      if (minute <= state.last) return
      const gap = Math.min(minute - state.last - 1, RING_MINUTES)
      for (let back = 1; back <= gap; back++) state.good[(minute - back) % RING_MINUTES] = 0
      const samples = Math.min(goodSamples, SAMPLES_PER_MINUTE)
      state.good[minute % RING_MINUTES] = samples
      state.totalGood += samples
      state.last = minute
    },
    share(minutes) {
      if (isEmpty()) return null
      const counted = Math.min(minutes, count(), RING_MINUTES)
      let sum = 0
      for (let back = 0; back < counted; back++) sum += state.good[(state.last - back) % RING_MINUTES] as number
      return sum / (counted * SAMPLES_PER_MINUTE)
    },
    shareSinceStart: () => (isEmpty() ? null : state.totalGood / (count() * SAMPLES_PER_MINUTE)),
    encode() {
      const bytes = new Uint8Array(HEADER_BYTES + RING_MINUTES)
      const view = new DataView(bytes.buffer)
      view.setUint32(0, MAGIC)
      view.setUint32(4, VERSION)
      for (const [index, value] of [state.first, state.last, state.totalGood].entries()) view.setFloat64(8 + index * 8, value)
      bytes.set(state.good, HEADER_BYTES)
      return bytes
    },
  }
}
