/** etcd keeps every revision of a key until somebody compacts it, and refuses writes when its disk quota is used up. */
import type { Clock, Logger } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import type { EtcdClient } from './etcd-client.ts'

export interface Compaction {
  /** Drops what was replaced before the last call that was an interval ago. */
  note(revision: bigint): Promise<void>
}

const INTERVAL_MS = 5 * 60_000

export function createCompaction(client: EtcdClient, clock: Pick<Clock, 'monotonicMs'>, log: Logger): Compaction {
  let marked: { readonly revision: bigint; readonly atMs: number } | null = null
  return {
    async note(revision) {
      const atMs = clock.monotonicMs()
      if (marked !== null && atMs - marked.atMs < INTERVAL_MS) return
      const before = marked
      marked = { revision, atMs }
      if (before === null) return
      // Another conductor may have compacted already, which etcd answers with an error.
      await client
        .call('kv/compaction', { revision: String(before.revision) })
        .catch((error: unknown) => log.debug('etcd does not compact', { reason: messageOf(error) }))
    },
  }
}
