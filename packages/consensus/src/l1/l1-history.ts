/** Hashes of the L1 heads seen lately, so that blocks that were replaced are noticed whatever height L1 has now. */
import type { L1Reader } from '@keelson/derivation'
import type { Hash, L1BlockRef } from '@keelson/primitives'

export interface L1History {
  /** Highest of the heads that were added last. */
  readonly head: L1BlockRef | null
  add(head: L1BlockRef): void
  /** How a head stands to those seen before: it may be a later one, an earlier one that is known, or of another chain. */
  compare(head: L1BlockRef): Promise<'later' | 'earlier' | 'replaced'>
  /** Number of the newest block seen that is still there; forgets those above. Below the oldest one seen when none is. */
  forgetReplaced(upTo: number): Promise<number>
}

/** More than an L1 with finality ever replaces; a deeper change is found all the same, at the next start or by derivation. */
const REMEMBERED = 512

export function createL1History(l1: Pick<L1Reader, 'blockRef'>): L1History {
  const seen = new Map<number, Hash>()
  let head: L1BlockRef | null = null
  const isStill = async (number: number) => (await l1.blockRef(number))?.hash === seen.get(number)

  return {
    get head() {
      return head
    },
    add(block) {
      head = block
      seen.delete(block.number)
      seen.set(block.number, block.hash)
      for (const oldest of seen.keys()) {
        if (seen.size <= REMEMBERED) break
        seen.delete(oldest)
      }
    },
    async compare(next) {
      if (head === null) return 'later'
      const known = seen.get(next.number)
      if (known !== undefined && known !== next.hash) return 'replaced'
      if (next.number <= head.number) {
        if (known !== undefined) return 'earlier'
        // never seen: only what is below it can tell
        const below = Math.max(...[...seen.keys()].filter((number) => number < next.number))
        return Number.isFinite(below) && !(await isStill(below)) ? 'replaced' : 'earlier'
      }
      const parent = seen.get(next.number - 1)
      if (parent !== undefined) return parent === next.parentHash ? 'later' : 'replaced'
      // heads were skipped between two looks
      return (await isStill(head.number)) ? 'later' : 'replaced'
    },
    async forgetReplaced(upTo) {
      const numbers = [...seen.keys()].filter((number) => number <= upTo).sort((a, b) => a - b)
      let low = -1
      let high = numbers.length
      while (high - low > 1) {
        const middle = (low + high) >> 1
        if (await isStill(numbers[middle] as number)) low = middle
        else high = middle
      }
      const ancestor = numbers[low] ?? (numbers[0] ?? upTo + 1) - 1
      for (const number of [...seen.keys()]) if (number > ancestor) seen.delete(number)
      return ancestor
    },
  }
}
