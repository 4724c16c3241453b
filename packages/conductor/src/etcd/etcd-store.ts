/** A ledger in etcd, with what its conductors tell one another. */
import type { Clock, Logger } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import { type CheckResult, createPoller, type KeyValueStore, type Metrics, type Service } from '@keelson/runtime'
import { ConductorError } from '../errors.ts'
import type { Ledger, Observed, OwnReport, Peers } from '../ports.ts'
import { createCompaction } from './compaction.ts'
import type { EtcdClient } from './etcd-client.ts'
import { createEtcdCluster } from './etcd-cluster.ts'
import { EtcdRefusal, NOT_FOUND } from './etcd-error.ts'
import { etcdKeys } from './etcd-keys.ts'
import { createEtcdLeader } from './etcd-leader.ts'
import { createEtcdLedger } from './etcd-ledger.ts'
import { openEtcdMemory } from './etcd-memory.ts'
import { encodeReport } from './etcd-reports.ts'
import { createEtcdSession } from './etcd-session.ts'
import { operation, transact } from './etcd-transaction.ts'
import { EtcdView } from './etcd-view.ts'
import { createEtcdWatch } from './etcd-watch.ts'

export interface EtcdStoreOptions {
  /** Begins all keys; ends in a slash. */
  readonly prefix: string
  readonly ttlSec: number
  /** Sequencers of this conductor. */
  readonly own: readonly string[]
  /** Sequencers of all conductors. */
  readonly members: readonly string[]
}

export interface EtcdStoreDependencies {
  readonly client: EtcdClient
  /** On this machine's disk, to know a replaced etcd after a restart. */
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export interface EtcdStore {
  readonly ledger: Ledger
  readonly peers: Peers
  /** Renews the lease while it runs, and ends it when stopped. */
  readonly service: Service
  /** Whether etcd answered the last time that it was asked. */
  check(): CheckResult
}

const RENEWALS_PER_TTL = 4

export function openEtcdStore(
  { prefix, ttlSec, own, members }: EtcdStoreOptions,
  { client: unguarded, store, clock, log, metrics }: EtcdStoreDependencies,
): EtcdStore {
  const memory = openEtcdMemory(store, log)
  const cluster = createEtcdCluster(unguarded, memory.known?.cluster ?? null)
  const { client } = cluster
  const keys = etcdKeys(prefix)
  const view = new EtcdView(keys, memory.known, (known) => {
    if (cluster.id !== null) memory.note({ cluster: cluster.id, ...known })
  })
  const session = createEtcdSession(client, ttlSec, clock)
  const leader = createEtcdLeader({ client, session, view, keys, own, ttlMs: ttlSec * 1_000, clock })
  const ledger = createEtcdLedger({ client, leader, view, keys, clock })
  const compaction = createCompaction(client, clock, log)
  const reported = new Map<string, string>()
  const watch = createEtcdWatch(clock, log)
  let isTrusted = false
  /** Revision when etcd answered first, or again. */
  let answeredAt = 0n
  metrics.gauge('store_reachable', '1 while etcd answers, 0 while no block can be recorded', [], () => (watch.check().ok ? 1 : 0))
  metrics.gauge('term', 'newest term of leadership', [], () => ledger.lease?.term ?? 0)
  metrics.gauge('leads', '1 while a sequencer of this conductor leads', [], () => (own.includes(ledger.lease?.holder ?? '') ? 1 : 0))

  const candidates = members
    .filter((id) => !own.includes(id))
    .map((id): Observed => {
      const report = () => view.reports.get(id)
      return {
        id,
        get address() {
          return report()?.address ?? ''
        },
        async status() {
          const { status, reason } = report() ?? { status: null, reason: 'its conductor is not connected to etcd' }
          if (status === null) throw new ConductorError('temporary', reason ?? 'its conductor reports no state')
          return status
        },
      }
    })

  async function report({ id, address, status, reason }: OwnReport, lease: string): Promise<void> {
    const text = encodeReport({ session: lease, address, status, reason })
    if (reported.get(id) === text) return
    const key = keys.member(id)
    const { revision } = await transact(client, [], [operation.put(key, text, lease)])
    reported.set(id, text)
    if (ledger.lease?.holder === id) await compaction.note(revision)
  }

  /** Reports under the lease of this conductor, or under a new one when etcd has ended that. */
  async function reportAll(reports: readonly OwnReport[]): Promise<void> {
    if (session.id === null) await session.renew()
    const lease = session.id
    if (lease === null) return
    try {
      await Promise.all(reports.map((each) => report(each, lease)))
    } catch (error) {
      if (!(error instanceof EtcdRefusal && error.status === NOT_FOUND)) throw error
      await session.renew()
      const next = session.id
      if (next !== null) await Promise.all(reports.map((each) => report(each, next)))
    }
  }

  const renewals = createPoller(() => session.renew(), {
    clock,
    intervalMs: (ttlSec * 1_000) / RENEWALS_PER_TTL,
    onError: (error) => log.debug('the lease in etcd is not renewed', { reason: messageOf(error) }),
  })

  return {
    ledger,
    peers: {
      candidates,
      get allReported() {
        return candidates.every(({ id }) => (view.reports.get(id)?.revision ?? 0n) > answeredAt)
      },
      exchange: (reports) =>
        watch.observe(async () => {
          // Nothing is written to an etcd that may have been replaced.
          if (!isTrusted) {
            await ledger.refresh()
            answeredAt = view.revision
            // The others do not believe a report from before a loss.
            reported.clear()
          }
          isTrusted = false
          await reportAll(reports)
          await ledger.refresh()
          isTrusted = true
        }),
    },
    check: watch.check,
    service: {
      name: 'etcd lease',
      failure: renewals.failure,
      start: async () => renewals.start(),
      async stop() {
        await renewals.stop()
        await session.end().catch((error: unknown) => log.debug('the lease in etcd ends by itself', { reason: messageOf(error) }))
        await memory.settle()
      },
    },
  }
}
