/** Connections from outside that have not shown yet that they are peers. They hold no place of a peer. */
import { addressScope, isLoopback, subnetAt, subscriberAt } from '@keelson/runtime/peers'

export interface HalfOpen {
  readonly ip: string
  /** Ends the connection. */
  close(): void
}

/** A stranger needs more addresses than this divided by its limit to push others out. */
export const MAX_HALF_OPEN = 50
/** Limits per IPv4 address or IPv6 /64, except loopback, and per public /24 or IPv6 /48. */
const MAX_OF_ADDRESS = 4
const MAX_OF_SUBNET = 8

/** When all are taken, the oldest of the most crowded subnet gives way: a handshake takes a second, and a stranger's may never end. */
export class HalfOpenConnections {
  /** Oldest first. */
  readonly #all = new Set<HalfOpen>()

  /** False when the address has too many. */
  add(connection: HalfOpen): boolean {
    const { ip } = connection
    if (!isLoopback(ip) && this.#count(subscriberAt, ip) >= MAX_OF_ADDRESS) return false
    if (addressScope(ip) === 'public' && this.#count(subnetAt, ip) >= MAX_OF_SUBNET) return false
    if (this.#all.size >= MAX_HALF_OPEN) this.#closeOldestOfMostCrowded()
    this.#all.add(connection)
    return true
  }

  /** False when it is gone already. */
  remove(connection: HalfOpen): boolean {
    return this.#all.delete(connection)
  }

  #count(nameOf: (ip: string) => string | null, ip: string): number {
    const name = nameOf(ip)
    return [...this.#all].filter((other) => nameOf(other.ip) === name).length
  }

  #closeOldestOfMostCrowded(): void {
    const bySubnet = new Map<string | null, HalfOpen[]>()
    for (const connection of this.#all) {
      const subnet = subnetAt(connection.ip)
      bySubnet.set(subnet, [...(bySubnet.get(subnet) ?? []), connection])
    }
    const [oldest] = [...bySubnet.values()].reduce((most, some) => (some.length > most.length ? some : most))
    if (oldest === undefined) return
    this.#all.delete(oldest)
    oldest.close()
  }
}
