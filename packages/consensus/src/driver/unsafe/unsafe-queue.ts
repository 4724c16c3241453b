import type { Hash, PayloadEnvelope } from '@keelson/primitives'

/** Unsafe blocks that wait for their ancestors, limited in bytes; the highest are dropped first. */
export interface UnsafeQueue {
  /** 'full' means that the block was dropped because all queued blocks are lower. */
  add(envelope: PayloadEnvelope): 'added' | 'known' | 'full'
  take(parent: Hash): PayloadEnvelope | null
  has(parent: Hash): boolean
  prune(number: number): void
  lowest(): PayloadEnvelope | null
  takeHighest(): PayloadEnvelope | null
  readonly size: number
  readonly bytes: number
}

interface Entry {
  readonly envelope: PayloadEnvelope
  readonly bytes: number
}

const FIXED_BYTES = 2_000

function sizeOf(envelope: PayloadEnvelope): number {
  return envelope.payload.transactions.reduce((sum, tx) => sum + tx.length + 64, FIXED_BYTES)
}

export function createUnsafeQueue(maxBytes: number): UnsafeQueue {
  const byHash = new Map<Hash, Entry>()
  const byParent = new Map<Hash, Hash[]>()
  let bytes = 0
  /** Undefined when it must be computed again. */
  let lowest: Entry | null | undefined = null
  const numberOf = (entry: Entry) => entry.envelope.payload.blockNumber
  const remove = (entry: Entry) => {
    const { blockHash, parentHash } = entry.envelope.payload
    byHash.delete(blockHash)
    if (entry === lowest) lowest = undefined
    bytes -= entry.bytes
    const rest = (byParent.get(parentHash) ?? []).filter((hash) => hash !== blockHash)
    if (rest.length === 0) byParent.delete(parentHash)
    else byParent.set(parentHash, rest)
  }
  const farthest = () => {
    let found: Entry | null = null
    for (const entry of byHash.values()) {
      if (found === null || numberOf(entry) > numberOf(found)) found = entry
    }
    return found
  }
  function findLowest(): Entry | null {
    if (lowest === undefined) {
      lowest = null
      for (const entry of byHash.values()) if (lowest === null || numberOf(entry) < numberOf(lowest)) lowest = entry
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
        if (last === null || numberOf(last) <= blockNumber) return 'full'
        remove(last)
      }
      byHash.set(blockHash, entry)
      if (lowest !== undefined && (lowest === null || blockNumber < numberOf(lowest))) lowest = entry
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
    has: (parent) => byParent.has(parent),
    prune(number) {
      const first = findLowest()
      if (first === null || numberOf(first) > number) return
      for (const entry of [...byHash.values()]) if (numberOf(entry) <= number) remove(entry)
    },
    takeHighest() {
      const entry = farthest()
      if (entry !== null) remove(entry)
      return entry?.envelope ?? null
    },
    lowest: () => findLowest()?.envelope ?? null,
    get size() {
      return byHash.size
    },
    get bytes() {
      return bytes
    },
  }
}
