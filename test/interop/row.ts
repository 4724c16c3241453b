/** One row of the table: something two programs must do together, and what it needs to run at all. */
import type { EthFork, Fork } from '@keelson/chainspec'
import type { Program } from './options.ts'
import type { World } from './world.ts'

export interface Row {
  readonly what: string
  readonly needs: readonly Program[]
  /** Throws what is not as it should be. Rows of a preset run in order on one network. */
  run(world: World): Promise<void>
}

export interface Preset {
  readonly name: string
  /** Options of the development network. */
  readonly devnet: readonly string[]
  /** Forks that come after its genesis, in seconds from then; the network is made with the one before. */
  readonly crossing?: Crossing
  readonly rows: readonly Row[]
}

export interface Crossing {
  readonly from: Fork
  readonly l1Fork: EthFork
  readonly forksAfterSec: Readonly<Partial<Record<Fork, number>>>
}

export type RowResult = 'passed' | 'failed' | 'not run'

export interface RowReport {
  readonly what: string
  readonly preset: string
  readonly result: RowResult
  readonly seconds: number
  /** Why it failed or did not run. */
  readonly reason: string | null
}
