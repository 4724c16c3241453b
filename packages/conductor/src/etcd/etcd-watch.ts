/** Says once when etcd stops answering, and when it answers again. */
import { type Clock, type Logger, messageOf, severityOf } from '@keelson/primitives'
import type { CheckResult } from '@keelson/runtime'
import { EtcdUnavailable } from './etcd-error.ts'

export interface EtcdWatch {
  /** Runs a call and notes how it ended. Rejects as the call does. */
  observe<T>(call: () => Promise<T>): Promise<T>
  check(): CheckResult
}

const LOST = {
  text: 'the quorum of etcd is lost: no block is sealed until a majority of its members answers',
  remedy: 'start the members that are down, or mend the network between them; etcdctl endpoint status --cluster shows them',
}
const REFUSED = {
  text: 'etcd refuses the conductor: no block is sealed until it does not',
  remedy: 'see --store.user, --store.password-file and the role of that user; etcdctl alarm list shows whether its disk quota is used up',
}

export function createEtcdWatch(clock: Pick<Clock, 'monotonicMs'>, log: Logger): EtcdWatch {
  let trouble: { readonly text: string; readonly remedy: string; readonly sinceMs: number } | null = null
  return {
    async observe(call) {
      try {
        const result = await call()
        if (trouble !== null) log.info('etcd answers again', { afterSec: Math.round((clock.monotonicMs() - trouble.sinceMs) / 1_000) })
        trouble = null
        return result
      } catch (error) {
        if (severityOf(error) === 'critical') throw error
        const { text, remedy } = error instanceof EtcdUnavailable ? LOST : REFUSED
        if (trouble?.text !== text) log.error(text, { reason: messageOf(error), remedy })
        trouble = { text, remedy, sinceMs: trouble?.sinceMs ?? clock.monotonicMs() }
        throw error
      }
    },
    check: () => (trouble === null ? { ok: true } : { ok: false, reason: trouble.text, remedy: trouble.remedy }),
  }
}
