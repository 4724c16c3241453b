/** All that decides a run, as a JSON file. */
import type { Fault } from './faults/fault-kind.ts'
import type { Upgrade } from './upgrades/upgrades.ts'

export interface Scenario {
  /** For a reader: what this run shows. */
  readonly about?: string
  readonly seed: number
  readonly days: number
  /** With more than one, each has a conductor, and they share an etcd. By default one. */
  readonly sequencers?: number
  readonly validators: number
  readonly transactionsPerSec: number
  /** Whether the rollup's parts call each other by JSON-RPC; by default the seed decides. */
  readonly realRpc?: boolean
  /** Whether KZG is real and signers are recovered each time; by default neither. */
  readonly realCrypto?: boolean
  /** Whether validators attest; otherwise they only follow. */
  readonly staking?: boolean
  /** Forks that activate during the run, in the order of time; by default the newest is there from genesis. */
  readonly upgrades?: readonly Upgrade[]
  /** How far below its head L1 is final; by default 64 blocks. */
  readonly l1FinalityBlocks?: number
  /** Batches go into calldata, in frames of so many bytes at most and several frames a channel; by default one frame fits a channel. */
  readonly frameBytes?: number
  /** From the last fault, or the start, until all must be well. */
  readonly recoveryMinutes: number
  /** In the order of their times. */
  readonly faults: readonly Fault[]
}

export function scenarioToJson(scenario: Scenario): string {
  const { faults, ...rest } = scenario
  const head = JSON.stringify(rest, null, 2).slice(0, -2)
  const lines = faults.map((fault) => `    ${JSON.stringify(fault)}`)
  return `${head},\n  "faults": [${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n  `}]\n}\n`
}
