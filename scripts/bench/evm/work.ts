import type { MemoryAccount } from '@keelson/evm'
import type { Bytes20 } from '@keelson/primitives'

export interface Work {
  readonly name: string
  readonly unit: 'Mgas/s' | 'us per call'
  /** Calls per repetition, for `us per call`. */
  readonly calls: number
  readonly target: Bytes20
  readonly data: Uint8Array
  /** False if only the first run of a seed does the work. */
  readonly repeats: boolean
  /** Different seeds give different codes only if `repeats` is false. */
  accounts(seed: number): readonly MemoryAccount[]
}

export interface RunResult {
  readonly milliseconds: number
  /** Of the harness: gas of all repetitions, success, output of the last one. */
  readonly output: Uint8Array
}

export interface PreparedWork {
  run(repetitions: number): Promise<RunResult>
}

export interface BenchEngine {
  readonly name: string
  prepare(work: Work, seed: number): Promise<PreparedWork>
  close(): Promise<void>
}

export const CALLER: Bytes20 = new Uint8Array(20).fill(0xca)
/** Pays for repetitions of any work down to the deepest call. */
export const BENCH_GAS = 1_000_000_000_000n
