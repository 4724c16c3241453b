import { type RpcClient, RpcResponseError } from '@keelson/client'
import type { CannotSync, SyncMode } from '@keelson/consensus'
import { option } from '@keelson/runtime'
import { AssemblyError } from '../../errors.ts'
import { syncModeParser } from '../../role/sync-mode-parser.ts'

export const syncOptions = {
  syncMode: option<SyncMode>({
    key: 'syncmode',
    parse: syncModeParser('consensus'),
    default: 'consensus-layer',
    description:
      'execution-layer lets an execution client with peers fetch the chain up to the newest unsafe block, which the sequencer has signed, and then derives from L1 what follows; consensus-layer derives the whole chain from L1.',
  }),
} as const

/** Throws AssemblyError `node/usage` for a sequencer. */
export function assertSyncModeFits(syncMode: SyncMode, role: 'sequencer' | 'follower'): void {
  if (syncMode === 'consensus-layer' || role === 'follower') return
  throw new AssemblyError(
    'node/usage',
    '--syncmode execution-layer is for followers: a sequencer derives its chain from L1 before it builds on it',
  )
}

async function cannotKeelsonSync(engine: Pick<RpcClient, 'call'>): Promise<string | null> {
  const mode = await engine.call('keelson_syncMode', []).catch((error: unknown) => {
    if (error instanceof RpcResponseError) return null
    throw error
  })
  if (mode === null) return 'the execution client is a Keelson that cannot fetch blocks from peers'
  return mode === 'none' ? 'the execution client is Keelson without a network of execution clients, or with --syncmode none' : null
}

/** Assumes that a client of another name can sync. */
export function createCannotSync(engine: Pick<RpcClient, 'call'>): CannotSync {
  return async () => {
    const versions = await engine
      .call('engine_getClientVersionV1', [{ code: 'KL', name: 'Keelson', version: '', commit: '0x00000000' }])
      .catch((error: unknown) => {
        if (error instanceof RpcResponseError) return []
        throw error
      })
    const name = Array.isArray(versions) ? String((versions[0] as { name?: unknown } | undefined)?.name ?? '') : ''
    return name.toLowerCase() === 'keelson' ? cannotKeelsonSync(engine) : null
  }
}
