import type { MemoryAccount } from '@keelson/evm'
import type { Bytes20 } from '@keelson/primitives'

export interface Work {
  readonly name: string
  readonly unit: 'Mgas/s' | 'us per call'
  readonly calls: number
  readonly target: Bytes20
  readonly data: Uint8Array
  /** False if only a seed's first run does the work. */
  readonly repeats: boolean
  /** Different seeds give different codes if `repeats` is false. */
  accounts(seed: number): readonly MemoryAccount[]
}

export interface RunResult {
  readonly milliseconds: number
  /** The harness's output: gas of all repetitions, success, last output. */
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
/** Enough for any work down to the deepest call. */
export const BENCH_GAS = 1_000_000_000_000n
