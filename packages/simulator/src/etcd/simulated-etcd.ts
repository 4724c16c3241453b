/** etcd on a machine of its own, under the production client of its JSON gateway. What it confirmed is on disk. */
import type { HttpClient, HttpResponse } from '@keelson/runtime'
import type { SimProcess } from '../core/sim-process.ts'
import { exchange } from '../network/exchange.ts'
import { Listener } from '../network/listener.ts'
import type { SimulatedNetwork } from '../network/simulated-network.ts'
import { EtcdFault, INVALID_ARGUMENT, NOT_FOUND } from './etcd-fault.ts'
import { type EtcdLease, EtcdState } from './etcd-state.ts'
import { applyTransaction, type Json, read } from './etcd-transaction.ts'

export const ETCD = 'etcd'
export const ETCD_PORT = 2379

/** Called before a transaction takes effect, with the machine that asked for it. */
export type TransactionObserver = (machine: string, operations: readonly Json[]) => void

const CLUSTER_ID = '1'
/** Each write waits for the disk. */
const WRITE_MS = 2
/** etcd looks for ended leases at this interval. */
const LEASE_CHECK_MS = 500
/** One and a half election timeouts, in full seconds. */
const LEAST_TTL_SEC = 2
const WRITES: ReadonlySet<string> = new Set(['kv/txn', 'kv/compaction', 'lease/grant', 'lease/revoke'])

export class SimulatedEtcd {
  readonly state = new EtcdState()
  readonly #network: SimulatedNetwork
  readonly #observe: TransactionObserver
  #listener: Listener | null = null

  constructor(network: SimulatedNetwork, observe: TransactionObserver) {
    this.#network = network
    this.#observe = observe
  }

  /** Serves in a process. All leases begin again, as when etcd elects a leader. */
  begin(process: SimProcess): void {
    this.#listener = new Listener(process)
    for (const lease of this.state.leases.values()) this.#prolong(lease, process)
    const check = () => {
      const nowMs = process.clock.monotonicMs()
      for (const lease of [...this.state.leases.values()]) if (lease.expiresAtMs <= nowMs) this.state.revoke(lease)
      process.after(LEASE_CHECK_MS, 'lease check', check)
    }
    process.after(LEASE_CHECK_MS, 'lease check', check)
  }

  client(machine: string, process: SimProcess): HttpClient {
    return {
      send: async ({ url, body = '', timeoutMs, signal }): Promise<HttpResponse> => {
        const { host, pathname } = new URL(url)
        const server = this.#listener ?? undefined
        const { status, text } = await exchange(this.#network, {
          ...{ machine, process, host, timeoutMs, signal, server },
          content: pathname + body,
          answer: () => this.#answer(machine, pathname.replace('/v3/', ''), JSON.parse(body), (server as Listener).process),
          contentOf: (answer) => answer.text,
        })
        return { status, headers: {}, body: new TextEncoder().encode(text) }
      },
      close: () => undefined,
    }
  }

  async #answer(
    machine: string,
    call: string,
    body: Json,
    process: SimProcess,
  ): Promise<{ readonly status: number; readonly text: string }> {
    if (WRITES.has(call) && !isReading(body)) await process.clock.sleep(WRITE_MS)
    try {
      const answer = this.#run(machine, call, body, process)
      const full = { header: { cluster_id: CLUSTER_ID, revision: String(this.state.revision) }, ...answer }
      return { status: 200, text: JSON.stringify(call === 'lease/keepalive' ? { result: full } : full) }
    } catch (error) {
      if (!(error instanceof EtcdFault)) throw error
      return { status: 400, text: JSON.stringify({ code: error.code, message: error.message }) }
    }
  }

  #run(machine: string, call: string, body: Json, process: SimProcess): Json {
    const { state } = this
    switch (call) {
      case 'kv/txn':
        return applyTransaction(state, body, (operations) => this.#observe(machine, operations))
      case 'kv/range':
        return { kvs: read(state, body) }
      case 'kv/compaction':
        return {}
      case 'lease/grant':
        return leaseJson(state.grant(Math.max(LEAST_TTL_SEC, Number(body.TTL)), process.clock.monotonicMs()))
      case 'lease/keepalive': {
        const lease = state.leases.get(String(body.ID))
        if (lease === undefined) return { ID: body.ID }
        this.#prolong(lease, process)
        return leaseJson(lease)
      }
      case 'lease/timetolive':
        return { ID: body.ID, TTL: String(this.#secondsLeft(state.leases.get(String(body.ID)), process)) }
      case 'lease/revoke': {
        const lease = state.leases.get(String(body.ID))
        if (lease === undefined) throw new EtcdFault(NOT_FOUND, 'etcdserver: requested lease not found')
        state.revoke(lease)
        return {}
      }
      case 'maintenance/status':
        return { version: '3.5.0', leader: '1' }
      default:
        throw new EtcdFault(INVALID_ARGUMENT, `${call} is not simulated`)
    }
  }

  #prolong(lease: EtcdLease, { clock }: SimProcess): void {
    lease.expiresAtMs = clock.monotonicMs() + lease.ttlSec * 1_000
  }

  #secondsLeft(lease: EtcdLease | undefined, { clock }: SimProcess): number {
    return lease === undefined ? -1 : Math.ceil((lease.expiresAtMs - clock.monotonicMs()) / 1_000)
  }
}

function leaseJson({ id, ttlSec }: EtcdLease): Json {
  return { ID: id, TTL: String(ttlSec) }
}

/** A transaction that only reads does not wait for the disk. */
function isReading({ success }: Json): boolean {
  return Array.isArray(success) && success.every((operation: Json) => operation.request_range !== undefined)
}
