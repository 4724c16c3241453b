import { createActiveSequencer, type RpcClient } from '@keelson/client'
import { AssemblyError } from '../../errors.ts'
import type { Role } from '../../role/role.ts'

export interface SequencerUrls {
  /** RPCs of consensus clients. */
  readonly rollup: readonly string[]
  /** URLs of the execution clients, in the same order. */
  readonly l2: readonly string[]
}

export interface SequencerClients {
  readonly rollup: RpcClient
  readonly l2: RpcClient
}

/** Short, because another sequencer may answer. */
const AMONG_SEVERAL = { timeoutMs: 5_000, retry: { attempts: 2 } }

/** Clients of the one sequencer, or of that among several that seals. Throws AssemblyError `node/usage`. */
export function openSequencerClients({ rollup, l2 }: SequencerUrls, role: Pick<Role, 'rpc' | 'clock' | 'log'>): SequencerClients {
  const [onlyRollup] = rollup
  const [onlyL2] = l2
  if (onlyRollup === undefined || onlyL2 === undefined || rollup.length !== l2.length) {
    throw new AssemblyError(
      'node/usage',
      `--rollup.rpc has ${rollup.length} URLs and --l2.rpc ${l2.length}: expected the two clients of each sequencer, in the same order`,
    )
  }
  if (rollup.length === 1) return { rollup: role.rpc(onlyRollup), l2: role.rpc(onlyL2) }
  const rollups = rollup.map((url) => role.rpc(url, AMONG_SEVERAL))
  const active = createActiveSequencer(rollups, role)
  return { rollup: active.route(rollups), l2: active.route(l2.map((url) => role.rpc(url, AMONG_SEVERAL))) }
}
