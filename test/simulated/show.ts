/** What --watch, --speed and --record do with the snapshots of a run. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { createSystemClock } from '@keelson/runtime'
import { drawPicture, type Film, frameMs, RecordingWriter, type Scenario, type Snapshot, timeOf } from '@keelson/simulator'
import type { SimulateOptions } from './options.ts'

export interface Showing {
  readonly film: Film
  end(): void
}

export interface ShowTo {
  readonly terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows' | 'write'>
  say(line: string): void
}

const REDRAW_EVERY_MS = 100
/** Between two lines where no terminal is, in simulated time. */
const LINE_EVERY_MS = 60_000
const HOME_AND_CLEAR = '\u001b[H\u001b[J'
const CLEAR_LINE = '\u001b[K'

type Viewer = Omit<Film, 'everyMs'> & { end?(): void }

/** Null if no snapshots are wanted. Throws what opening the file of the recording throws. */
export function show(
  { watch, speed, record }: Pick<SimulateOptions, 'watch' | 'speed' | 'record'>,
  scenario: Scenario,
  to: ShowTo,
): Showing | null {
  const everyMs = frameMs(scenario)
  const viewers: Viewer[] = []
  if (record !== null) viewers.push(recorder(record, scenario, everyMs))
  if (watch) viewers.push(to.terminal.isTTY ? picture(to.terminal, scenario) : lines(to))
  if (speed !== null) viewers.push(pace(speed))
  if (viewers.length === 0) return null
  return {
    film: {
      everyMs,
      async show(snapshot) {
        for (const viewer of viewers) await viewer.show(snapshot)
      },
    },
    end() {
      for (const viewer of viewers) viewer.end?.()
    },
  }
}

function recorder(path: string, scenario: Scenario, everyMs: number): Viewer {
  const file = openSync(path, 'w')
  const writer = new RecordingWriter()
  writeSync(file, `${RecordingWriter.header(scenario, everyMs)}\n`)
  return {
    show: (snapshot) => void writeSync(file, `${writer.line(snapshot)}\n`),
    end: () => closeSync(file),
  }
}

/** Drawn in place, at most ten times a second. The last snapshot stays. */
function picture(terminal: ShowTo['terminal'], { seed, about }: Scenario): Viewer {
  const clock = createSystemClock()
  const beganMs = clock.monotonicMs()
  let drawnMs = Number.NEGATIVE_INFINITY
  let last: Snapshot | null = null
  const draw = (snapshot: Snapshot) => {
    const realMs = clock.monotonicMs() - beganMs
    const { columns = 80, rows = 24 } = terminal
    const title = `seed ${seed}${about === undefined ? '' : `: ${about}`}`
    const drawn = drawPicture(snapshot, { columns, rows, title, speed: realMs < REDRAW_EVERY_MS ? null : snapshot.frame.atMs / realMs })
    terminal.write(`${HOME_AND_CLEAR}${drawn.map((line) => `${line}${CLEAR_LINE}\n`).join('')}`)
    last = null
  }
  return {
    async show(snapshot) {
      last = snapshot
      const nowMs = clock.monotonicMs()
      if (nowMs - drawnMs < REDRAW_EVERY_MS) return
      drawnMs = nowMs
      draw(snapshot)
      // Lets signals and the terminal's size through.
      await clock.sleep(0)
    },
    end() {
      if (last !== null) draw(last)
    },
  }
}

function lines({ say }: ShowTo): Viewer {
  let nextMs = 0
  let printed = 0
  return {
    show({ frame, machines, faults }) {
      for (const { atMs, kind, text } of faults.slice(printed)) say(`${timeOf(atMs)}  ${kind}: ${text}`)
      printed = faults.length
      if (frame.atMs < nextMs) return
      nextMs = frame.atMs + LINE_EVERY_MS
      const heads = frame.machines.flatMap((machine, i) =>
        machine.heads === null ? [] : [`${machines[i]?.name} ${machine.heads.unsafe.number}`],
      )
      say(`${timeOf(frame.atMs)}  L1 ${frame.l1.number}, unsafe heads: ${heads.join(', ') || 'none'}`)
    },
  }
}

/** Waits while the run is ahead of the wanted speed. */
function pace(speed: number): Viewer {
  const clock = createSystemClock()
  const beganMs = clock.monotonicMs()
  return {
    async show({ frame }) {
      const aheadMs = frame.atMs / speed - (clock.monotonicMs() - beganMs)
      if (aheadMs > 0) await clock.sleep(aheadMs)
    },
  }
}
