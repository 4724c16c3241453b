import assert from 'node:assert/strict'
import { runDatabaseTask, type SupplyParams, type SupplyResult } from '@keelson/execution'
import { L2_TO_L1_MESSAGE_PASSER } from '@keelson/primitives'
import { createSeededRandom, type LevelStore, nextTurn } from '@keelson/runtime'
import { createSnapshotWriter } from '../../packages/node/src/commands/db/snapshot-folder.ts'
import { type ExecutionWorld, SILENT_LOG } from './execution-world.ts'

const TOOLS = { random: createSeededRandom(5), log: SILENT_LOG, snapshotFolder: createSnapshotWriter }

export function genesisSupply({ chain, genesis }: ExecutionWorld): NonNullable<SupplyParams['genesis']> {
  const balances = new Map(chain.genesis.alloc === undefined ? [] : [...chain.genesis.alloc].map((a) => [a.address, a.balanceWei] as const))
  const totalWei = [...balances.values()].reduce((sum, wei) => sum + wei, 0n)
  return { hash: genesis.hash, totalWei: `${totalWei}`, passerWei: `${balances.get(L2_TO_L1_MESSAGE_PASSER) ?? 0n}` }
}

export async function readSupply(world: ExecutionWorld, supply: SupplyParams, store = world.store): Promise<SupplyResult> {
  // Only snapshots are requested, so the in-memory store suffices.
  const database = world.node.database(store as LevelStore)
  const context = { signal: new AbortController().signal, report: () => undefined, breathe: nextTurn }
  return (await runDatabaseTask('supply', { supply }, database, TOOLS, context)) as SupplyResult
}

export async function assertSupply(world: ExecutionWorld): Promise<SupplyResult> {
  const result = await readSupply(world, { genesis: genesisSupply(world) })
  const history = await readSupply(world, {})
  for (const { ok, differenceWei, unexplained, from } of [result, history]) {
    assert.deepEqual({ ok, differenceWei, unexplained }, { ok: true, differenceWei: '0', unexplained: [] }, from.source)
  }
  assert.equal(history.stateWei, result.stateWei)
  return result
}
