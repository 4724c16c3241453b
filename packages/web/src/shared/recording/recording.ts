/**
 * A recording of a simulated network: JSON lines, a header and then one line for each frame with what changed since the frame before.
 * `npm run simulate -- --record FILE` writes it, and the page Simulation plays it.
 */
export const RECORDING_FORMAT = 'keelson-simulation'
export const RECORDING_VERSION = 1

/** Limits of a recording; those of texts are in characters. */
export const RECORDING_LIMITS = {
  bytes: 128 * 1024 * 1024,
  lineLength: 1024 * 1024,
  frames: 100_000,
  machines: 64,
  processesOfMachine: 16,
  cuts: 4_032,
  faults: 50_000,
  violations: 1_000,
  name: 64,
  text: 1_000,
} as const

export interface RecordingHeader {
  readonly format: typeof RECORDING_FORMAT
  readonly version: typeof RECORDING_VERSION
  readonly seed: number
  /** What the run shows; empty if nothing says so. */
  readonly about: string
  readonly days: number
  readonly transactionsPerSec: number
  /** Simulated milliseconds between two frames. */
  readonly everyMs: number
}

export interface Machine {
  readonly name: string
  /** Names of its processes. */
  readonly roles: readonly string[]
}

export const PROCESS_STATES = ['running', 'frozen', 'dead'] as const
export type ProcessState = (typeof PROCESS_STATES)[number]

export interface Head {
  readonly number: number
  /** The first eight digits. */
  readonly hash: string
}

export const HEAD_LABELS = ['unsafe', 'safe', 'finalized'] as const
export type Heads = Readonly<Record<(typeof HEAD_LABELS)[number], Head>>

export interface MachineFrame {
  readonly power: boolean
  /** In the order of the machine's roles. Processes that came later are missing in earlier frames. */
  readonly processes: readonly ProcessState[]
  /** Those that the consensus client reported last; null if there is none or it has not reported any. */
  readonly heads: Heads | null
}

export interface L1Frame extends Head {
  readonly finalized: number
  /** Reorgs so far. */
  readonly branch: number
  readonly stalled: boolean
}

export interface BadLinks {
  readonly lossPercent: number
  readonly duplicationPercent: number
  readonly jitterMs: number
}

export interface Counters {
  /** Transactions that were accepted. */
  readonly transactions: number
  /** Transactions of the batcher on L1. */
  readonly batches: number
  readonly proposals: number
}

export interface Frame {
  /** Simulated milliseconds since the start. */
  readonly atMs: number
  readonly machines: readonly MachineFrame[]
  /** Indices of machines whose heads are other blocks than those that the first node had at these numbers. */
  readonly differing: readonly number[]
  readonly l1: L1Frame
  /** Directed links, as two indices of machines. */
  readonly cuts: readonly (readonly [from: number, to: number])[]
  /** Null while all links are good. */
  readonly badLinks: BadLinks | null
  readonly counters: Counters
}

export interface FaultMark {
  readonly atMs: number
  readonly durationMs: number
  readonly kind: string
  /** A machine, a process of one (`sequencer/execution`) or `network`. */
  readonly victim: string
  readonly text: string
}

export interface ViolationMark {
  readonly atMs: number
  readonly rule: string
  readonly text: string
}

export interface Recording {
  readonly header: RecordingHeader
  readonly machines: readonly Machine[]
  readonly frames: readonly Frame[]
  readonly faults: readonly FaultMark[]
  readonly violations: readonly ViolationMark[]
  /** The file ends within a line, as after a run that was interrupted; that line is left out. */
  readonly isCut: boolean
}

/** A line after the header. What is left out is as in the frame before. */
export interface FrameLine {
  readonly t: number
  readonly machines?: Readonly<Record<string, Machine>>
  readonly nodes?: Readonly<Record<string, MachineLine>>
  readonly differing?: readonly number[]
  readonly l1?: readonly [number: number, hash: string, finalized: number, branch: number, stalled: 0 | 1]
  readonly cuts?: Frame['cuts']
  readonly badLinks?: BadLinks | null
  readonly counters?: readonly [transactions: number, batches: number, proposals: number]
  readonly faults?: readonly FaultMark[]
  readonly violations?: readonly ViolationMark[]
}

export interface MachineLine {
  readonly power?: boolean
  readonly processes?: readonly ProcessState[]
  readonly unsafe?: HeadLine
  readonly safe?: HeadLine
  readonly finalized?: HeadLine
}

export type HeadLine = readonly [number: number, hash: string]
