/** Memoizes what was read at recent blocks, which do not change. */
import type { Hash } from '@keelson/primitives'
import type { BlockFacts } from './blocks.ts'

export interface BlockMemo {
  /** Reads once per block and shares a read in progress; failed reads are not kept. `what` is the cache key within the block. */
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

/** Shares concurrent identical calls. */
export function shareWhileAsked<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null
  return () => {
    asked ??= ask().finally(() => {
      asked = null
    })
    return asked
  }
}
