import assert from 'node:assert/strict'
import { createL1Schedule, type L1ChainConfig, loadL1ChainConfig } from '@keelson/chainspec'
import type { ConformanceCase } from './group.ts'
import { withBlobSchedule } from './l1-genesis.ts'
import type { VectorFolder } from './vectors/vector-folder.ts'

type Environment = Readonly<Record<string, string>>

const FORKS: Readonly<Record<string, string>> = {
  HIVE_FORK_HOMESTEAD: 'homestead',
  HIVE_FORK_TANGERINE: 'tangerine',
  HIVE_FORK_SPURIOUS: 'spurious',
  HIVE_FORK_BYZANTIUM: 'byzantium',
  HIVE_FORK_CONSTANTINOPLE: 'constantinople',
  HIVE_FORK_PETERSBURG: 'petersburg',
  HIVE_FORK_ISTANBUL: 'istanbul',
  HIVE_FORK_BERLIN: 'berlin',
  HIVE_FORK_LONDON: 'london',
  HIVE_SHANGHAI_TIMESTAMP: 'shanghai',
  HIVE_CANCUN_TIMESTAMP: 'cancun',
  HIVE_PRAGUE_TIMESTAMP: 'prague',
  HIVE_OSAKA_TIMESTAMP: 'osaka',
}

function checkForks(config: L1ChainConfig, environment: Environment): void {
  for (const [variable, fork] of Object.entries(FORKS)) {
    const found = config.forks.find((each) => each.fork === fork)
    const at = found === undefined ? null : String(found.fromTimeSec ?? found.fromBlock)
    assert.equal(at, environment[variable] ?? null, fork)
  }
}

function checkBlobs(config: L1ChainConfig, environment: Environment): void {
  const schedule = createL1Schedule(config)
  for (const [variable, at] of Object.entries(environment)) {
    const name = /^HIVE_(\w+)_TIMESTAMP$/.exec(variable)?.[1]
    const most = environment[`HIVE_${name}_BLOB_MAX`]
    if (most === undefined) continue
    const blobs = schedule.blockRules(Number.MAX_SAFE_INTEGER, Number(at)).blobParameters
    assert.deepEqual(
      [blobs?.target, blobs?.max, blobs?.baseFeeUpdateFraction].map(String),
      [environment[`HIVE_${name}_BLOB_TARGET`], most, environment[`HIVE_${name}_BLOB_BASE_FEE_UPDATE_FRACTION`]],
      name,
    )
  }
}

export function forkEnvironmentCases(folder: VectorFolder, prefix: string): ConformanceCase[] {
  return folder.casesOf(folder.paths(prefix, /\/forkenv\.json$/), (path) => {
    const environment = folder.json<Environment>(path)
    const config = loadL1ChainConfig(withBlobSchedule(folder.json(`${prefix}genesis.json`)))
    return [
      { id: 'forkenv/chain-id', run: () => assert.equal(config.chainId, BigInt(environment.HIVE_CHAIN_ID ?? 0)) },
      { id: 'forkenv/forks', run: () => checkForks(config, environment) },
      { id: 'forkenv/blobs', run: () => checkBlobs(config, environment) },
    ]
  })
}
