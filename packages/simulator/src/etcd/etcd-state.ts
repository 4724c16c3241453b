/** The data of an etcd cluster: keys with revisions, attached to leases. As far as conductors use it: etcd.io/docs/v3.4/learning/api. */
import { SortedKeys } from '../disk/sorted-keys.ts'

export interface EtcdKeyValue {
  readonly value: Uint8Array
  readonly createRevision: number
  readonly modRevision: number
  readonly lease: string | null
}

export interface EtcdLease {
  readonly id: string
  readonly ttlSec: number
  /** On the clock of etcd's machine. */
  expiresAtMs: number
  readonly keys: Set<string>
}

export class EtcdState {
  readonly leases = new Map<string, EtcdLease>()
  /** Revision of the last change; an empty etcd has the first. */
  revision = 1
  readonly #entries = new Map<string, EtcdKeyValue>()
  readonly #order = new SortedKeys()
  #granted = 0

  get(key: string): EtcdKeyValue | null {
    return this.#entries.get(key) ?? null
  }

  /** Keys from `from` to below `to`, in their order. */
  range(from: string, to: string, limit = Number.POSITIVE_INFINITY): readonly string[] {
    return this.#order.range(from, to, limit, false)
  }

  /** Changes of one transaction have the same, next revision. The lease must exist. */
  put(key: string, value: Uint8Array, lease: string | null, revision: number): void {
    const before = this.#entries.get(key)
    if (before === undefined) this.#order.add(key)
    else this.#detach(key, before)
    if (lease !== null) this.leases.get(lease)?.keys.add(key)
    this.#entries.set(key, { value, lease, createRevision: before?.createRevision ?? revision, modRevision: revision })
  }

  /** Returns whether there was such a key. */
  remove(key: string): boolean {
    const before = this.#entries.get(key)
    if (before === undefined) return false
    this.#detach(key, before)
    this.#entries.delete(key)
    this.#order.delete(key)
    return true
  }

  grant(ttlSec: number, nowMs: number): EtcdLease {
    const lease = { id: String(++this.#granted), ttlSec, expiresAtMs: nowMs + ttlSec * 1_000, keys: new Set<string>() }
    this.leases.set(lease.id, lease)
    return lease
  }

  /** Removes the keys that are attached to it. */
  revoke({ id, keys }: EtcdLease): void {
    this.leases.delete(id)
    if (keys.size > 0) this.revision++
    for (const key of [...keys]) this.remove(key)
  }

  #detach(key: string, { lease }: EtcdKeyValue): void {
    if (lease !== null) this.leases.get(lease)?.keys.delete(key)
  }
}
