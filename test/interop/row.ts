import type { EthFork, Fork } from '@keelson/chainspec'
import type { Program } from './options.ts'
import type { World } from './world.ts'

export interface Row {
  readonly what: string
  readonly needs: readonly Program[]
  run(world: World): Promise<void>
}

export interface Preset {
  readonly name: string
  readonly devnet: readonly string[]
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
  readonly reason: string | null
}
