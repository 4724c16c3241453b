/** Bounds the requests of one client, and of all, that wait for other services. */
export interface InFlight {
  /** Returns the function that ends the request, or null when there are too many. */
  enter(client: string): (() => void) | null
}

export function createInFlight({ perClient, total }: { readonly perClient: number; readonly total: number }): InFlight {
  const counts = new Map<string, number>()
  let all = 0
  return {
    enter(client) {
      const count = counts.get(client) ?? 0
      if (all >= total || count >= perClient) return null
      counts.set(client, count + 1)
      all++
      let ended = false
      return () => {
        if (ended) return
        ended = true
        all--
        const left = (counts.get(client) ?? 1) - 1
        if (left === 0) counts.delete(client)
        else counts.set(client, left)
      }
    },
  }
}
