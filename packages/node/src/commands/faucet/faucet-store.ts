/** Runs tasks through the control socket of a running faucet, or directly. */
import { join } from 'node:path'
import {
  createGroupCommit,
  createPostgresStore,
  type FaucetStore,
  findLeader,
  openClaimRecords,
  openFaucetElection,
  openTierRecords,
  runFaucetTask,
} from '@keelson/apps/faucet'
import type { Clock, Logger } from '@keelson/primitives'
import { asCalled, type LevelStore, openLevelStore, readDataIdentity } from '@keelson/runtime'
import { askControl, connectControl } from '../../control/control-client.ts'
import { AssemblyError } from '../../errors.ts'

export const FAUCET_LAYOUT_VERSION = 1
export const FAUCET_ROLE = 'faucet'

export function openFaucetStoreDirectory(dataDir: string): Promise<LevelStore> {
  const remedy = 'it holds claims, quotas and payments on their way; restore a copy, or keep one, remove it, and begin with new quotas'
  return openLevelStore({ directory: faucetStoreDirectory(dataDir), irreplaceable: { remedy } })
}

function faucetStoreDirectory(dataDir: string): string {
  return join(dataDir, 'store')
}

export interface FaucetPlace {
  readonly dataDir: string
  readonly databaseUrl: string | null
}

/** Throws AssemblyError `node/usage`, FaucetError. */
export async function runOnFaucet(
  { dataDir, databaseUrl }: FaucetPlace,
  task: string,
  params: Readonly<Record<string, unknown>>,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<Record<string, unknown>> {
  const socket = await connectControl(dataDir)
  if (socket !== null) return (await askControl(socket, { task, params }, () => undefined)) as Record<string, unknown>
  const identity = await readDataIdentity(dataDir)
  if (identity === null || identity.role !== FAUCET_ROLE || identity.version > FAUCET_LAYOUT_VERSION) {
    const what = identity === null ? 'holds no data of a faucet' : `holds data of the ${identity.role} role, layout ${identity.version}`
    throw new AssemblyError('node/usage', `${dataDir} ${what}: give the --data-dir of ${asCalled('faucet serve')}`)
  }
  const { store, close } = databaseUrl === null ? await openOwnStore(dataDir) : await openSharedStore(databaseUrl, log)
  try {
    const write = createGroupCommit(store)
    const records = await openClaimRecords(store, write)
    const tiers = await openTierRecords(store, write)
    return (await runFaucetTask(task, params, { records, tiers, nowMs: clock.nowMs(), live: null })) as Record<string, unknown>
  } finally {
    await close()
  }
}

interface OpenStore {
  readonly store: FaucetStore
  close(): Promise<void>
}

async function openOwnStore(dataDir: string): Promise<OpenStore> {
  const store = await openFaucetStoreDirectory(dataDir)
  return { store, close: () => store.close() }
}

/** Leads while the task runs, which only works while no faucet does. */
async function openSharedStore(databaseUrl: string, log: Logger): Promise<OpenStore> {
  const election = openFaucetElection(databaseUrl, log)
  const lead = await election.campaign()
  const leader = await findLeader(election)
  if (lead !== null && leader !== null) return { store: createPostgresStore(election, lead), close: () => election.withdraw() }
  await election.withdraw()
  const why =
    lead !== null
      ? 'the database has no faucet yet: start one'
      : `a faucet runs and ${leader ?? 'another instance'} leads: run this beside it`
  throw new AssemblyError('node/usage', why)
}
