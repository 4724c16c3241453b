/** What was read at a block, kept for everybody who asks the same of it while it is new: a block does not change. */
import type { Hash } from '@keelson/primitives'
import type { BlockFacts } from './blocks.ts'

export interface BlockMemo {
  /** Reads once, also for those who ask while it is under way; a reading that fails is not kept. `what` names it within the block. */
  read<T>(block: Pick<BlockFacts, 'hash'>, what: string, read: () => Promise<T>): Promise<T>
}

const MAX_BLOCKS = 4
const MAX_READINGS = 256

export function createBlockMemo(): BlockMemo {
  const blocks = new Map<Hash, Map<string, Promise<unknown>>>()

  function readingsOf(hash: Hash): Map<string, Promise<unknown>> {
    const kept = blocks.get(hash)
    if (kept !== undefined) return kept
    const fresh = new Map<string, Promise<unknown>>()
    blocks.set(hash, fresh)
    if (blocks.size > MAX_BLOCKS) blocks.delete(blocks.keys().next().value as Hash)
    return fresh
  }

  return {
    read<T>({ hash }: Pick<BlockFacts, 'hash'>, what: string, read: () => Promise<T>) {
      const readings = readingsOf(hash)
      const kept = readings.get(what)
      if (kept !== undefined) return kept as Promise<T>
      const reading = read()
      readings.set(what, reading)
      if (readings.size > MAX_READINGS) readings.delete(readings.keys().next().value as string)
      reading.catch(() => {
        if (readings.get(what) === reading) readings.delete(what)
      })
      return reading
    },
  }
}

/** The same question at the same time is asked once. */
export function shareWhileAsked<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null
  return () => {
    asked ??= ask().finally(() => {
      asked = null
    })
    return asked
  }
}
