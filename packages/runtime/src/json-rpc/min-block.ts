/**
 * Read-after-write over several nodes that share an address. A request may name the newest block that its caller has seen, in the
 * header X-Keelson-Min-Block. A node below that block waits a short time for it, and then lets a load balancer ask another node.
 */
import type { Clock } from '@keelson/primitives'

export const MIN_BLOCK_HEADER = 'x-keelson-min-block'
/** Number of the newest block that the answer may reflect, or a higher one. */
export const BLOCK_HEADER = 'x-keelson-block'

export interface MinBlockOptions {
  readonly maxWaitMs: number
}

export interface MinBlockDependencies {
  /** Number of the newest block that a read sees from now on. */
  readonly head: () => Promise<number>
  readonly clock: Pick<Clock, 'sleep' | 'monotonicMs'>
}

/** Null when the node has the block. */
export type MinBlockRefusal = { readonly status: 400 | 503; readonly message: string } | null

export interface MinBlock {
  head(): Promise<number>
  /** `client` is null for a caller without limits. */
  await(header: string, client: string | null, signal: AbortSignal): Promise<MinBlockRefusal>
}

/** A node this far behind does not wait: another one is likely to have the block already. */
const MAX_AWAITED_BLOCKS = 5
/** No node of the chain can be expected to have a block this far ahead, so the request is not tried on another one. */
const MAX_AHEAD_BLOCKS = 10_000
const MAX_WAITING = 1_000
const MAX_WAITING_PER_CLIENT = 100
const LOOK_EVERY_MS = 20

export function createMinBlock({ maxWaitMs }: MinBlockOptions, { head, clock }: MinBlockDependencies): MinBlock {
  let waiting = 0
  const waitingOf = new Map<string, number>()
  let look: Promise<number> | null = null
  /** All waiting requests share one look. */
  const nextLook = () => {
    look ??= clock
      .sleep(LOOK_EVERY_MS)
      .then(head)
      .finally(() => {
        look = null
      })
    return look
  }

  const count = (client: string | null, by: 1 | -1) => {
    waiting += by
    if (client === null) return
    const now = (waitingOf.get(client) ?? 0) + by
    if (now === 0) waitingOf.delete(client)
    else waitingOf.set(client, now)
  }
  const mayWait = (client: string | null) =>
    waiting < MAX_WAITING && (client === null || (waitingOf.get(client) ?? 0) < MAX_WAITING_PER_CLIENT)

  async function waitFor(wanted: number, client: string | null, signal: AbortSignal): Promise<number> {
    const endMs = clock.monotonicMs() + maxWaitMs
    count(client, 1)
    try {
      for (;;) {
        const number = await nextLook()
        if (number >= wanted || signal.aborted || clock.monotonicMs() >= endMs) return number
      }
    } finally {
      count(client, -1)
    }
  }

  return {
    head,
    async await(header, client, signal) {
      if (!/^\d{1,15}$/.test(header)) {
        return { status: 400, message: `${MIN_BLOCK_HEADER}: expected the number of a block, got "${header.slice(0, 40)}"` }
      }
      const wanted = Number(header)
      let number = await head()
      if (number >= wanted) return null
      if (wanted > number + MAX_AHEAD_BLOCKS) {
        return { status: 400, message: `${MIN_BLOCK_HEADER} names block ${wanted}, far above the head ${number}` }
      }
      if (wanted <= number + MAX_AWAITED_BLOCKS && mayWait(client)) number = await waitFor(wanted, client, signal)
      if (number >= wanted) return null
      return { status: 503, message: `the head of this node is ${number}, below block ${wanted} of ${MIN_BLOCK_HEADER}; try again` }
    },
  }
}
