/** Runs tasks through the control socket of a running faucet, or directly. */
import { join } from 'node:path'
import { createGroupCommit, openClaimRecords, openTierRecords, runFaucetTask } from '@keelson/apps/faucet'
import type { Clock } from '@keelson/primitives'
import { asCalled, openLevelStore, readDataIdentity } from '@keelson/runtime'
import { askControl, connectControl } from '../../control/control-client.ts'
import { AssemblyError } from '../../errors.ts'

export const FAUCET_LAYOUT_VERSION = 1
export const FAUCET_ROLE = 'faucet'

export function faucetStoreDirectory(dataDir: string): string {
  return join(dataDir, 'store')
}

export async function runOnFaucet(
  dataDir: string,
  task: string,
  params: Readonly<Record<string, unknown>>,
  clock: Clock,
): Promise<Record<string, unknown>> {
  const socket = await connectControl(dataDir)
  if (socket !== null) return (await askControl(socket, { task, params }, () => undefined)) as Record<string, unknown>
  const identity = await readDataIdentity(dataDir)
  if (identity === null || identity.role !== FAUCET_ROLE || identity.version > FAUCET_LAYOUT_VERSION) {
    const what = identity === null ? 'holds no data of a faucet' : `holds data of the ${identity.role} role, layout ${identity.version}`
    throw new AssemblyError('node/usage', `${dataDir} ${what}: give the --data-dir of ${asCalled('faucet serve')}`)
  }
  const store = await openLevelStore({ directory: faucetStoreDirectory(dataDir) })
  try {
    const write = createGroupCommit(store)
    const records = await openClaimRecords(store, write)
    const tiers = await openTierRecords(store, write)
    return (await runFaucetTask(task, params, { records, tiers, nowMs: clock.nowMs(), live: null })) as Record<string, unknown>
  } finally {
    await store.close()
  }
}
