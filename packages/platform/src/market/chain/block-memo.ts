import type { Hash } from '@keelson/primitives'

const MAX_BLOCKS = 4
const MAX_READINGS = 256

export class BlockMemo {
  readonly #blocks = new Map<Hash, Map<string, Promise<unknown>>>()

  /** Shares a read in progress; failed reads are not kept. */
  read<T>({ hash }: { readonly hash: Hash }, what: string, read: () => Promise<T>): Promise<T> {
    const readings = this.#blocks.get(hash) ?? new Map<string, Promise<unknown>>()
    setBounded(this.#blocks, hash, readings, MAX_BLOCKS)
    const kept = readings.get(what)
    if (kept !== undefined) return kept as Promise<T>
    const reading = read()
    setBounded(readings, what, reading, MAX_READINGS)
    reading.catch(() => {
      if (readings.get(what) === reading) readings.delete(what)
    })
    return reading
  }
}

export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.set(key, value)
  if (map.size > max) map.delete(map.keys().next().value as K)
}

export function shareWhileAsked<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null
  return () => {
    asked ??= ask().finally(() => {
      asked = null
    })
    return asked
  }
}
