/**
 * The entries of a node record that state the fork id: `eth`, and `opel` for the OP Stack. Clients differ in which one they read.
 * EIP-868; specs: protocol/exec-engine.md#p2p-modifications
 */
import { bigintToMinimalBytes, CodecError, numberToBytes, type RlpItem, rlpList } from '@keelson/primitives'
import type { RecordEntries } from '@keelson/runtime/discovery'
import type { ForkFilter } from '../../fork-id/fork-filter.ts'
import { type ForkId, forkIdFromRlp } from '../../fork-id/fork-id.ts'

/** In the order in which they are read. */
const KEYS = ['opel', 'eth'] as const

export function forkEntries({ hash, next }: ForkId): RecordEntries {
  const entry = [[numberToBytes(hash, 4), bigintToMinimalBytes(next)]]
  return Object.fromEntries(KEYS.map((key) => [key, entry]))
}

/** Why a node with these entries is not dialled; null if it may be. */
export function refuseEntries(entries: ReadonlyMap<string, unknown>, filter: ForkFilter): string | null {
  const raw = KEYS.map((key) => entries.get(key)).find((entry) => entry !== undefined)
  if (raw === undefined) return 'no-fork-id'
  const id = readForkId(raw as RlpItem)
  if (id === null) return 'malformed-fork-id'
  const verdict = filter(id)
  return verdict.kind === 'accepted' ? null : verdict.reason
}

function readForkId(entry: RlpItem): ForkId | null {
  try {
    return forkIdFromRlp(rlpList(entry, 'fork entry')[0])
  } catch (error) {
    if (error instanceof CodecError) return null
    throw error
  }
}
