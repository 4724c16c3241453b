import { createJsonSource, NO_SOURCES, PoolFeed, type Sources, succeeded } from '@keelson/platform'
import { createHttpClient, createSilentLogger } from '@keelson/runtime'
import { openLoopback } from '../../../packages/platform/src/market/http/loopback.test-support.ts'
import type { PlatformWorld } from '../platform-world.ts'

const BITCOIN_HASH = '00'.repeat(8) + 'ab'.repeat(24)
const BITCOIN_BLOCK = {
  id: BITCOIN_HASH,
  height: 900_000,
  version: 2,
  timestamp: 1_700_000_000,
  tx_count: 5,
  size: 1_000,
  weight: 4_000,
  merkle_root: 'cd'.repeat(32),
  previousblockhash: 'ef'.repeat(32),
  nonce: 1,
  bits: 386_000_000,
  difficulty: 1.5,
}

export async function openContractSources({ chains, clock }: PlatformWorld): Promise<Sources & { close(): void }> {
  const esplora = await openLoopback()
  esplora.answers = { '/blocks/tip/hash': BITCOIN_HASH, [`/block/${BITCOIN_HASH}`]: BITCOIN_BLOCK }
  const http = createHttpClient()
  return {
    ...NO_SOURCES,
    chains,
    esplora: createJsonSource({ name: 'Esplora', baseUrl: esplora.url }, http),
    marketFeed: new PoolFeed(chains.main, { clock, log: createSilentLogger() }),
    refreshSearch: async () => succeeded({ status: 'refreshed', documents: 3 }),
    close() {
      http.close()
      esplora.close()
    },
  }
}
