/** Hides L1 blocks from an unsupported fork on. Their headers may fail verification. */
import type { L1BlockRef } from '@keelson/primitives'
import { ClientError } from '../client-error.ts'
import type { L1BlockLabel, L1Client } from './l1-client.ts'

export interface L1UntilOptions {
  /** Unix seconds of the fork. */
  readonly timeSec: number
  /** The search starts at this block, which should be before the fork. */
  readonly firstBlock: number
  readonly nowMs: () => number
  /** Called once; null when `firstBlock` is after the fork. */
  readonly onReached: (last: L1BlockRef | null) => void
}

export function createL1Until(client: L1Client, options: L1UntilOptions): L1Client {
  let last: L1BlockRef | null = null
  let said = false
  const isBefore = (block: L1BlockRef): boolean => block.timestampSec < options.timeSec

  /** After the fork's time, a header that does not verify is also 'beyond'. */
  const look = async (at: L1BlockLabel | number): Promise<L1BlockRef | 'beyond' | null> => {
    try {
      const block = await client.blockRef(at)
      return block === null || isBefore(block) ? block : 'beyond'
    } catch (error) {
      const unreadable = error instanceof ClientError && error.code === 'client/bad-answer'
      if (unreadable && options.nowMs() >= options.timeSec * 1000) return 'beyond'
      throw error
    }
  }

  const numberedBefore = async (number: number): Promise<L1BlockRef | null> => {
    const block = await look(number)
    return block === 'beyond' ? null : block
  }

  /** Doubles steps until a block is beyond the fork or above the head, then bisects. */
  const findLast = async (): Promise<L1BlockRef | null> => {
    let found = await numberedBefore(options.firstBlock)
    if (found === null) return null
    let missing = found.number + 1
    for (let step = 1; ; step *= 2) {
      const next = await numberedBefore(missing)
      if (next === null) break
      found = next
      missing = next.number + 2 * step
    }
    while (missing - found.number > 1) {
      const middle: number = (found.number + missing) >> 1
      const next = await numberedBefore(middle)
      if (next === null) missing = middle
      else found = next
    }
    return found
  }

  const reached = async (): Promise<L1BlockRef | null> => {
    const found = await findLast()
    // If the next block is only missing, the node may lag: the fork is not proven.
    if (found !== null && (await look(found.number + 1)) !== 'beyond') return found
    last = found
    if (!said) options.onReached(last)
    said = true
    return last
  }

  const head = async (): Promise<L1BlockRef | null> => {
    if (last !== null && (await numberedBefore(last.number))?.hash === last.hash && (await numberedBefore(last.number + 1)) === null)
      return last
    const block = await look('latest')
    return block === 'beyond' ? reached() : block
  }

  return {
    async blockRef(at) {
      if (at === 'latest') return head()
      if (typeof at === 'number') return numberedBefore(at)
      if (at === 'safe' || at === 'finalized') {
        const block = await look(at)
        return block === 'beyond' ? head() : block
      }
      const block = await client.blockRef(at)
      return block === null || isBefore(block) ? block : null
    },
    async header(hash) {
      const header = await client.header(hash)
      return header === null || header.timestampSec < options.timeSec ? header : null
    },
    transactions: (hash) => client.transactions(hash),
    receipts: (hash) => client.receipts(hash),
  }
}
