/** A lease of etcd that lives while this process renews it. etcd alone measures its time; the clock here only says when to doubt it. */
import type { Clock } from '@keelson/primitives'
import { ConductorError } from '../errors.ts'
import { createTurns } from '../turns.ts'
import type { EtcdClient } from './etcd-client.ts'

export interface EtcdSession {
  /** Null until the first renewal, and when etcd no longer knows the lease. */
  readonly id: string | null
  /** Whether the lease was renewed so lately that etcd cannot have ended it. */
  readonly alive: boolean
  /** Renews the lease, or takes a new one when it has ended. Throws when etcd does not answer. */
  renew(): Promise<void>
  /** Ends the lease, so that the keys attached to it disappear at once. */
  end(): Promise<void>
}

export function createEtcdSession(client: EtcdClient, ttlSec: number, clock: Pick<Clock, 'monotonicMs'>): EtcdSession {
  const inTurn = createTurns()
  let id: string | null = null
  let aliveUntilMs = Number.NEGATIVE_INFINITY

  const isAlive = () => id !== null && clock.monotonicMs() < aliveUntilMs

  async function grant(): Promise<void> {
    const askedMs = clock.monotonicMs()
    const answer = await client.call('lease/grant', { TTL: String(ttlSec) })
    if (typeof answer.ID !== 'string') throw new ConductorError('temporary', 'etcd granted a lease without an id')
    id = answer.ID
    aliveUntilMs = askedMs + secondsOf(answer.TTL) * 1_000
  }

  async function renew(): Promise<void> {
    if (id === null) return grant()
    // If only answers are lost, renewals that reach etcd would keep a lease that its holder cannot use.
    if (!isAlive()) await client.call('lease/timetolive', { ID: id })
    const askedMs = clock.monotonicMs()
    const renewed = id
    const ttl = secondsOf((await client.call('lease/keepalive', { ID: renewed })).TTL)
    if (id !== renewed) return
    if (ttl === 0) {
      id = null
      return grant()
    }
    aliveUntilMs = askedMs + ttl * 1_000
  }

  return {
    get id() {
      return id
    },
    get alive() {
      return isAlive()
    },
    renew: () => inTurn(renew),
    async end() {
      if (id === null) return
      const ended = id
      id = null
      await client.call('lease/revoke', { ID: ended })
    },
  }
}

/** etcd leaves a zero out. */
function secondsOf(ttl: unknown): number {
  const seconds = Number(ttl ?? 0)
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : 0
}
