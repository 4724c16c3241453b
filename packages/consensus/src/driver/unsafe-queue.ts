/** Unsafe blocks that cannot be inserted yet because blocks before them are missing. Bounded in bytes; the farthest go first. */
import type { Hash, PayloadEnvelope } from '@keelson/primitives'

export interface UnsafeQueue {
  /** 'full': it was the farthest of all and there was no room. */
  add(envelope: PayloadEnvelope): 'added' | 'known' | 'full'
  /** The block that follows `parent`, taken out; the first to come wins. Null when it is not here. */
  take(parent: Hash): PayloadEnvelope | null
  /** Drops blocks at or below `number`, which can never be unsafe again. */
  prune(number: number): void
  /** Lowest block number waiting; null when empty. */
  lowest(): number | null
  readonly size: number
  readonly bytes: number
}

interface Entry {
  readonly envelope: PayloadEnvelope
  readonly bytes: number
}

/** Header fields and object overhead of one queued block. */
const FIXED_BYTES = 2_000

function sizeOf(envelope: PayloadEnvelope): number {
  return envelope.payload.transactions.reduce((sum, tx) => sum + tx.length + 64, FIXED_BYTES)
}

export function createUnsafeQueue(maxBytes: number): UnsafeQueue {
  const byHash = new Map<Hash, Entry>()
  const byParent = new Map<Hash, Hash[]>()
  let bytes = 0
  /** Of the lowest block; undefined when it has to be looked for. */
  let lowest: number | null | undefined = null
  const remove = (entry: Entry) => {
    const { blockHash, parentHash, blockNumber } = entry.envelope.payload
    byHash.delete(blockHash)
    if (blockNumber === lowest) lowest = undefined
    bytes -= entry.bytes
    const rest = (byParent.get(parentHash) ?? []).filter((hash) => hash !== blockHash)
    if (rest.length === 0) byParent.delete(parentHash)
    else byParent.set(parentHash, rest)
  }
  const farthest = () => {
    let found: Entry | null = null
    for (const entry of byHash.values()) {
      if (found === null || entry.envelope.payload.blockNumber > found.envelope.payload.blockNumber) found = entry
    }
    return found
  }
  function findLowest(): number | null {
    if (lowest === undefined) {
      lowest = null
      for (const { envelope } of byHash.values()) {
        const { blockNumber } = envelope.payload
        if (lowest === null || blockNumber < lowest) lowest = blockNumber
      }
    }
    return lowest
  }
  return {
    add(envelope) {
      const { blockHash, parentHash, blockNumber } = envelope.payload
      if (byHash.has(blockHash)) return 'known'
      const entry = { envelope, bytes: sizeOf(envelope) }
      while (bytes + entry.bytes > maxBytes) {
        const last = farthest()
        if (last === null || last.envelope.payload.blockNumber <= blockNumber) return 'full'
        remove(last)
      }
      byHash.set(blockHash, entry)
      if (lowest !== undefined) lowest = lowest === null ? blockNumber : Math.min(lowest, blockNumber)
      bytes += entry.bytes
      byParent.set(parentHash, [...(byParent.get(parentHash) ?? []), blockHash])
      return 'added'
    },
    take(parent) {
      const [hash] = byParent.get(parent) ?? []
      const entry = hash === undefined ? undefined : byHash.get(hash)
      if (entry === undefined) return null
      remove(entry)
      return entry.envelope
    },
    prune(number) {
      if ((findLowest() ?? Number.POSITIVE_INFINITY) > number) return
      for (const entry of [...byHash.values()]) if (entry.envelope.payload.blockNumber <= number) remove(entry)
    },
    lowest: findLowest,
    get size() {
      return byHash.size
    },
    get bytes() {
      return bytes
    },
  }
}
