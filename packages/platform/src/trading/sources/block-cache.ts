/** What was read after the newest block of each chain, until there is a newer one. Questions asked at the same time are asked once. */
import type { BlockFacts } from '../../chain/blocks.ts'

export interface BlockCache<T> {
  /** Throws what `load` throws, and forgets it. */
  get(chainId: number, block: Pick<BlockFacts, 'hash'>, key: string, load: () => Promise<T>): Promise<T>
}

interface OfBlock<T> {
  readonly hash: string
  readonly values: Map<string, Promise<T>>
}

export function createBlockCache<T>(maxValues: number): BlockCache<T> {
  const chains = new Map<number, OfBlock<T>>()
  return {
    get(chainId, { hash }, key, load) {
      let kept = chains.get(chainId)
      if (kept?.hash !== hash) {
        kept = { hash, values: new Map() }
        chains.set(chainId, kept)
      }
      const { values } = kept
      const known = values.get(key)
      if (known !== undefined) return known
      const loading = load()
      values.set(key, loading)
      if (values.size > maxValues) values.delete(values.keys().next().value as string)
      loading.catch(() => {
        if (values.get(key) === loading) values.delete(key)
      })
      return loading
    },
  }
}
