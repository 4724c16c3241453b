/** Limits on resources that outlive a call. */
import type { RpcContext } from '@keelson/runtime'

export interface ClientQuotaLimits {
  readonly perClient: number
  readonly total: number
}

export interface ClientQuota {
  /** Takes all `places` or none. For `client` null only the total applies. */
  take(client: string | null, places: number): 'taken' | 'client' | 'total'
  release(client: string | null, places: number): void
}

export function createClientQuota(limits: ClientQuotaLimits): ClientQuota {
  const held = new Map<string, number>()
  let total = 0
  const add = (client: string | null, places: number) => {
    total += places
    if (client === null) return
    const now = (held.get(client) ?? 0) + places
    if (now === 0) held.delete(client)
    else held.set(client, now)
  }
  return {
    take(client, places) {
      if (client !== null && (held.get(client) ?? 0) + places > limits.perClient) return 'client'
      if (total + places > limits.total) return 'total'
      add(client, places)
      return 'taken'
    },
    release: (client, places) => add(client, -places),
  }
}

export function limitedClient({ caller }: RpcContext): string | null {
  return caller === undefined || caller.burst === Number.POSITIVE_INFINITY ? null : caller.client
}
