/** Says once when etcd stops answering, and when it answers again. */
import { type Clock, type Logger, messageOf, severityOf } from '@keelson/primitives'
import { asCalled, type CheckResult } from '@keelson/runtime'
import { EtcdReplaced, EtcdUnavailable } from './etcd-error.ts'

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
const REPLACED = {
  text: 'etcd was replaced, or restored from a backup: no block is sealed, because its record may lack blocks that were published',
  remedy: `give the conductors the former etcd, and they go on by themselves; if it is lost, start all sequencers, stop all conductors, run ${asCalled('conductor forget-etcd')} for the --data-dir of each, and start them: they continue from the highest chain of any sequencer`,
}

function troubleOf(error: unknown) {
  if (error instanceof EtcdReplaced) return REPLACED
  return error instanceof EtcdUnavailable ? LOST : REFUSED
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
        const { text, remedy } = troubleOf(error)
        if (trouble?.text !== text) log.error(text, { reason: messageOf(error), remedy })
        trouble = { text, remedy, sinceMs: trouble?.sinceMs ?? clock.monotonicMs() }
        throw error
      }
    },
    check: () => (trouble === null ? { ok: true } : { ok: false, reason: trouble.text, remedy: trouble.remedy }),
  }
}
