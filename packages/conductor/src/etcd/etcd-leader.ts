/** Who leads: a key attached to the lease of the leader's conductor. */
import type { Clock } from '@keelson/primitives'
import type { Lease } from '../ports.ts'
import type { EtcdClient, JsonObject } from './etcd-client.ts'
import { EtcdRefusal, NOT_FOUND } from './etcd-error.ts'
import type { EtcdKeys } from './etcd-keys.ts'
import type { EtcdSession } from './etcd-session.ts'
import { compare, operation, transact } from './etcd-transaction.ts'
import type { EtcdView } from './etcd-view.ts'

export interface EtcdLeaderDependencies {
  readonly client: EtcdClient
  readonly session: EtcdSession
  readonly view: EtcdView
  readonly keys: EtcdKeys
  /** Sequencers of this conductor. */
  readonly own: readonly string[]
  /** For how long what was read is believed. */
  readonly ttlMs: number
  readonly clock: Pick<Clock, 'monotonicMs'>
}

export interface EtcdLeader {
  readonly lease: Lease | null
  /** What a write has to compare; null unless a candidate of this conductor leads in this term, as far as is known. */
  leadingIn(term: number): JsonObject | null
  grant(holder: string, term: number): Promise<boolean>
}

export function createEtcdLeader({ client, session, view, keys, own, ttlMs, clock }: EtcdLeaderDependencies): EtcdLeader {
  const leaderText = ({ term, holder }: Lease) => JSON.stringify({ term, holder })
  const isStale = () => !session.alive && clock.monotonicMs() > view.readAtMs + ttlMs
  const sessionOf = (holder: string) => (own.includes(holder) ? session.id : (view.reports.get(holder)?.session ?? null))

  function leadingIn(term: number): JsonObject | null {
    const { leader } = view
    if (leader?.term !== term || leader.holder === null || !own.includes(leader.holder)) return null
    return compare.value(keys.leader, leaderText(leader))
  }

  async function write(next: Lease, lease: string): Promise<boolean> {
    const { term, leader } = view
    const when = [
      term === 0 ? compare.absent(keys.term) : compare.value(keys.term, JSON.stringify({ term })),
      leader === null ? compare.absent(keys.leader) : compare.value(keys.leader, leaderText(leader)),
    ]
    const then = [operation.put(keys.term, JSON.stringify({ term: next.term })), operation.put(keys.leader, leaderText(next), lease)]
    const answer = await transact(client, when, then)
    if (answer.succeeded) view.noteLeader(next, answer)
    return answer.succeeded
  }

  return {
    get lease() {
      const { leader, term } = view
      if (term === 0) return null
      if (leader === null || (own.includes(leader.holder ?? '') && isStale())) return { term, holder: null }
      return leader
    },
    leadingIn,
    async grant(holder, term) {
      const { leader } = view
      if (view.term !== term || (leader !== null && leadingIn(term) === null)) return false
      if (session.id === null) await session.renew()
      const lease = sessionOf(holder)
      if (lease === null) return false
      return write({ term: term + 1, holder }, lease).catch((error: unknown) => {
        if (error instanceof EtcdRefusal && error.status === NOT_FOUND) return false
        throw error
      })
    },
  }
}
