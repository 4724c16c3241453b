import {
  blockToPayload,
  formatQuantity,
  type Hash,
  L2_TO_L1_MESSAGE_PASSER,
  type PayloadEnvelope,
  parseBlockJson,
  parseHash,
  parseJsonObject,
} from '@keelson/primitives'
import { LRUCache } from 'lru-cache'
import { ClientError, RpcResponseError } from '../client-error.ts'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { verified } from '../rpc/verified.ts'

export type L2BlockLabel = 'unsafe' | 'safe' | 'finalized'

export interface L2BlockSource {
  payload(at: L2BlockLabel | number | Hash): Promise<PayloadEnvelope | null>
  /** Null when the state is pruned. */
  messagePasserStorageRoot(block: Hash): Promise<Hash | null>
}

const TAG_OF_LABEL = { unsafe: 'latest', safe: 'safe', finalized: 'finalized' } as const
const UNKNOWN = /unknown block|not found|missing trie node|state .*(not available|is not available|unavailable|pruned)|outside/i

const MAX_CACHED_BYTES = 64 * 1024 * 1024
const ENVELOPE_BYTES = 1_000

export interface PayloadCache {
  get(hash: Hash): PayloadEnvelope | undefined
  set(hash: Hash, envelope: PayloadEnvelope): unknown
}

export function createPayloadCache(maxPayloads = 256): PayloadCache {
  return new LRUCache<Hash, PayloadEnvelope>({
    max: maxPayloads,
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ payload }) => payload.transactions.reduce((sum, raw) => sum + raw.length, ENVELOPE_BYTES),
  })
}

export function createL2BlockSource(rpc: RpcClient, options: { readonly maxCachedPayloads?: number } = {}): L2BlockSource {
  const cache = createPayloadCache(options.maxCachedPayloads)

  const fetchPayload = async (method: string, at: string): Promise<PayloadEnvelope | null> => {
    const answer = await orNull(rpc.call(method, [at, true]))
    if (answer === null) return null
    const { block, envelope } = verified(rpc.host, () => {
      const parsed = parseBlockJson(answer)
      // From Isthmus on, the withdrawals root is the message passer's storage root.
      return { block: parsed, envelope: blockToPayload(parsed, parsed.header.requestsHash !== null) }
    })
    cache.set(block.hash, envelope)
    return envelope
  }

  return {
    async payload(at) {
      if (typeof at === 'number') return fetchPayload('eth_getBlockByNumber', formatQuantity(at))
      if (!at.startsWith('0x')) return fetchPayload('eth_getBlockByNumber', TAG_OF_LABEL[at as L2BlockLabel])
      const cached = cache.get(at as Hash)
      if (cached !== undefined) return cached
      const found = await fetchPayload('eth_getBlockByHash', at)
      if (found !== null && found.payload.blockHash !== at) {
        throw new ClientError(
          'client/block-mismatch',
          'temporary',
          `${rpc.host} was asked for block ${at} and gave ${found.payload.blockHash}`,
        )
      }
      return found
    },
    async messagePasserStorageRoot(block) {
      const answer = await orNull(rpc.call('eth_getProof', [L2_TO_L1_MESSAGE_PASSER, [], { blockHash: block }]))
      return answer === null
        ? null
        : verified(rpc.host, () => parseHash(parseJsonObject(answer, 'eth_getProof').storageHash, 'storageHash'))
    },
  }
}

async function orNull(result: Promise<unknown>): Promise<unknown> {
  try {
    return await result
  } catch (error) {
    if (error instanceof RpcResponseError && error.severity !== 'temporary' && UNKNOWN.test(error.text)) return null
    throw error
  }
}
