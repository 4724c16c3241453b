/** Writes snapshots as the lines of a recording; each line has what changed since the one before. */
import {
  type Frame,
  type FrameLine,
  HEAD_LABELS,
  type HeadLine,
  type MachineFrame,
  type MachineLine,
  RECORDING_FORMAT,
  RECORDING_LIMITS,
  RECORDING_VERSION,
  type RecordingHeader,
} from '@keelson/web/recording'
import type { Scenario } from '../scenario.ts'
import type { Snapshot } from './snapshot.ts'

const L2_BLOCK_TIME_MS = 2_000
const DAY_MS = 86_400_000
/** A simulated day with a frame for each block. */
const FRAMES_OF_A_RUN = DAY_MS / L2_BLOCK_TIME_MS
const NEW_MACHINE: MachineFrame = { power: true, processes: [], heads: null }

/** The time between two frames: that between two blocks, and more in runs of more than a day. */
export function frameMs({ days }: Pick<Scenario, 'days'>): number {
  return L2_BLOCK_TIME_MS * Math.max(1, Math.ceil((days * DAY_MS) / L2_BLOCK_TIME_MS / FRAMES_OF_A_RUN))
}

export class RecordingWriter {
  #before: Snapshot | null = null
  #machines = ''
  #faults = 0
  #violations = 0

  static header({ seed, about = '', days, transactionsPerSec }: Scenario, everyMs: number): string {
    const text = about.slice(0, RECORDING_LIMITS.text)
    const header: RecordingHeader = {
      format: RECORDING_FORMAT,
      version: RECORDING_VERSION,
      seed,
      about: text,
      days,
      transactionsPerSec,
      everyMs,
    }
    return JSON.stringify(header)
  }

  /** Without the line break. */
  line(snapshot: Snapshot): string {
    const line = {
      t: snapshot.frame.atMs,
      ...this.#newMachines(snapshot),
      ...changesOf(snapshot.frame, this.#before?.frame ?? null),
      ...list('faults', snapshot.faults.slice(this.#faults)),
      ...list('violations', snapshot.violations.slice(this.#violations)),
    } satisfies FrameLine
    this.#faults = snapshot.faults.length
    this.#violations = snapshot.violations.length
    this.#before = snapshot
    return JSON.stringify(line)
  }

  #newMachines({ machines }: Snapshot): Pick<FrameLine, 'machines'> {
    const text = JSON.stringify(machines)
    if (text === this.#machines) return {}
    this.#machines = text
    return { machines: Object.fromEntries(machines.entries()) }
  }
}

function changesOf(now: Frame, before: Frame | null): Omit<FrameLine, 't'> {
  const { l1, counters } = now
  const nodes = now.machines.flatMap((machine, i) => {
    const changes = machineChanges(machine, before?.machines[i] ?? NEW_MACHINE)
    return Object.keys(changes).length === 0 ? [] : [[i, changes] as const]
  })
  const isNew = (name: 'l1' | 'cuts' | 'badLinks' | 'counters' | 'differing') => !same(now[name], before?.[name])
  return {
    ...(nodes.length > 0 ? { nodes: Object.fromEntries(nodes) } : {}),
    ...(isNew('differing') ? { differing: now.differing } : {}),
    ...(isNew('l1') ? { l1: [l1.number, l1.hash, l1.finalized, l1.branch, l1.stalled ? 1 : 0] } : {}),
    ...(isNew('cuts') ? { cuts: now.cuts } : {}),
    ...(isNew('badLinks') ? { badLinks: now.badLinks } : {}),
    ...(isNew('counters') ? { counters: [counters.transactions, counters.batches, counters.proposals] } : {}),
  }
}

function machineChanges({ power, processes, heads }: MachineFrame, before: MachineFrame): MachineLine {
  const changed = HEAD_LABELS.flatMap((label) => {
    const head = heads?.[label]
    const known = before.heads?.[label]
    if (head === undefined || (head.hash === known?.hash && head.number === known.number)) return []
    const line: HeadLine = [head.number, head.hash]
    return [[label, line] as const]
  })
  return {
    ...(power === before.power ? {} : { power }),
    ...(same(processes, before.processes) ? {} : { processes }),
    ...Object.fromEntries(changed),
  }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function list<K extends string, T>(name: K, entries: readonly T[]): Partial<Record<K, readonly T[]>> {
  return entries.length === 0 ? {} : ({ [name]: entries } as Partial<Record<K, readonly T[]>>)
}
