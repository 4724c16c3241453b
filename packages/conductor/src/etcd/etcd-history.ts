/**
 * Refuses an etcd that is not the one of before. The record of another etcd, or of one restored from a backup, may lack blocks
 * that were published, and a leader would record others at their heights.
 */
import { type EtcdClient, isObject } from './etcd-client.ts'
import { EtcdReplaced } from './etcd-error.ts'
import { revisionOf } from './etcd-transaction.ts'

export interface EtcdHistory {
  /** Throws EtcdReplaced from the first answer on that contradicts what was known when it was asked for. */
  readonly client: EtcdClient
  /** Throws EtcdReplaced, now and at every later call. */
  refuse(fault: string): never
}

export function createEtcdHistory(client: EtcdClient): EtcdHistory {
  let cluster: unknown
  let newest = 0n
  let fault: string | null = null
  const refuse = (reason: string): never => {
    fault ??= reason
    throw new EtcdReplaced(fault)
  }
  return {
    refuse,
    client: {
      ...client,
      async call(call, body) {
        if (fault !== null) return refuse(fault)
        const before = newest
        const answer = await client.call(call, body)
        const id = isObject(answer.header) ? answer.header.cluster_id : undefined
        cluster ??= id
        if (id !== undefined && id !== cluster) return refuse(`its cluster id is ${String(id)}, and was ${String(cluster)}`)
        // Other calls are answered by one member, which may be behind.
        if (call !== 'kv/txn') return answer
        const revision = revisionOf(call, answer)
        if (revision < before) return refuse(`its revision is ${revision}, and was ${before}`)
        if (revision > newest) newest = revision
        return answer
      },
    },
  }
}
