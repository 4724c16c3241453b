import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPureCrypto } from '@keelson/primitives'
import { prepareNetwork } from '../../packages/devnet/src/prepare/prepare-network.ts'
import { createTestEngine } from '../support/test-engine.ts'
import type { Crossing } from './row.ts'

/** op-geth requires the Ethereum fork at the time of the rollup fork that includes it. */
const ETHEREUM_FORKS: Readonly<Record<string, string>> = { ecotone: 'cancunTime', isthmus: 'pragueTime' }

export async function prepareCrossing(folder: string, { from, l1Fork, forksAfterSec }: Crossing): Promise<void> {
  const choice = { fork: from, l1Fork, symbol: null, allowSameChainId: false } as const
  await prepareNetwork(folder, choice, Date.now(), () => createTestEngine({ crypto: createPureCrypto() }))
  const genesisTimeSec = (readJson(folder, 'rollup.json').genesis as { l2_time: number }).l2_time
  const times = Object.entries(forksAfterSec).map(([fork, afterSec]) => [fork, genesisTimeSec + afterSec] as const)
  edit(folder, 'rollup.json', (rollup) => Object.assign(rollup, Object.fromEntries(times.map(([fork, time]) => [`${fork}_time`, time]))))
  edit(folder, 'genesis.json', ({ config }) => {
    for (const [fork, time] of times) {
      const ethereum = ETHEREUM_FORKS[fork]
      Object.assign(config as object, { [`${fork}Time`]: time }, ethereum === undefined ? {} : { [ethereum]: time })
    }
  })
}

function readJson(folder: string, name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>
}

function edit(folder: string, name: string, change: (json: Record<string, unknown>) => void): void {
  const json = readJson(folder, name)
  change(json)
  writeFileSync(join(folder, name), JSON.stringify(json))
}
