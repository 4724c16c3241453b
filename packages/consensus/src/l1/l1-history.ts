import type { L1Reader } from '@keelson/derivation'
import type { Hash, L1BlockRef } from '@keelson/primitives'

export interface L1History {
  add(head: L1BlockRef): void
  /** 'earlier': `next` is at or below `last` on the same chain. */
  compare(last: L1BlockRef | null, next: L1BlockRef): Promise<'later' | 'earlier' | 'replaced'>
  /**
   * Forgets blocks up to this number that L1 replaced. Returns the number of the newest remaining block, or if none remains, the
   * number before the oldest.
   */
  forgetReplaced(upTo: number): Promise<number>
}

/** Number of remembered blocks; a deeper reorg is detected by derivation or at the next start. */
const REMEMBERED = 512

export function createL1History(l1: Pick<L1Reader, 'blockRef'>): L1History {
  const seen = new Map<number, Hash>()
  const isStill = async (number: number) => (await l1.blockRef(number))?.hash === seen.get(number)

  return {
    add(block) {
      seen.delete(block.number)
      seen.set(block.number, block.hash)
      for (const oldest of seen.keys()) {
        if (seen.size <= REMEMBERED) break
        seen.delete(oldest)
      }
    },
    async compare(last, next) {
      if (last === null) return 'later'
      const known = seen.get(next.number)
      if (known !== undefined && known !== next.hash) return 'replaced'
      if (next.number <= last.number) {
        if (known !== undefined) return 'earlier'
        const below = Math.max(...[...seen.keys()].filter((number) => number < next.number))
        return Number.isFinite(below) && !(await isStill(below)) ? 'replaced' : 'earlier'
      }
      const parent = seen.get(next.number - 1)
      if (parent !== undefined) return parent === next.parentHash ? 'later' : 'replaced'
      return (await isStill(last.number)) ? 'later' : 'replaced'
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
