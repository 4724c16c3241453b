import { BUCKETS } from '@keelson/state'
import { CHAIN_BUCKETS } from '../chain/keys.ts'
import type { Database, TaskContext } from './database.ts'

export interface BucketStats {
  readonly name: string
  readonly bucket: number
  /** Excludes records that are still in LevelDB's log. */
  readonly bytes: number
}

export interface DatabaseStats {
  readonly chainId: string
  readonly genesisHash: string
  readonly heads: Readonly<Record<'unsafe' | 'safe' | 'finalized', { readonly number: number; readonly hash: string }>>
  readonly state: {
    readonly diskNumber: number
    readonly layers: number
    readonly layerBytes: number
    readonly oldest: number
  }
  readonly totalBytes: number
  readonly buckets: readonly BucketStats[]
}

export async function databaseStats({ store, chain, state, chainId, genesis }: Database, context: TaskContext): Promise<DatabaseStats> {
  const names: [string, number][] = [...Object.entries(BUCKETS), ...Object.entries(CHAIN_BUCKETS)]
  const buckets: BucketStats[] = []
  for (const [name, bucket] of names) {
    buckets.push({ name, bucket, bytes: await store.approximateBytes(Uint8Array.of(bucket), Uint8Array.of(bucket + 1)) })
    await context.breathe()
  }
  const head = (label: 'unsafe' | 'safe' | 'finalized') => {
    const { hash, header } = chain.label(label)
    return { number: header.number, hash }
  }
  return {
    chainId: chainId.toString(),
    genesisHash: genesis.hash,
    heads: { unsafe: head('unsafe'), safe: head('safe'), finalized: head('finalized') },
    state: {
      diskNumber: state.disk?.number ?? 0,
      layers: state.layerCount,
      layerBytes: state.layerBytes,
      oldest: state.oldestHistory ?? 0,
    },
    totalBytes: buckets.reduce((sum, { bytes }) => sum + bytes, 0),
    buckets,
  }
}
