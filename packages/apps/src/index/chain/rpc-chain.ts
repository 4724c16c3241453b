import { ClientError, type RpcClient, type RpcOutcome, RpcResponseError, verified } from '@keelson/client'
import { encodeCall } from '@keelson/contracts'
import {
  type Address,
  bytesToHex,
  formatQuantity,
  type Hash,
  type Hex,
  hexToBytes,
  isHex,
  parseHash,
  parseJsonObject,
  parseQuantityNumber,
} from '@keelson/primitives'
import { readDecimals, readText } from '../tokens/token-metadata.ts'
import { parseChainBlock } from './parse-block.ts'
import type { ChainBlock, IndexedChain, TokenMetadata } from './ports.ts'

const METADATA_CALLS = ['name()', 'symbol()', 'decimals()'].map((signature) => bytesToHex(encodeCall(signature)))
/** Enough for a string in storage; the node's own limit is higher. */
const METADATA_GAS = formatQuantity(500_000)
const METADATA_LIMIT = { maxBytes: 64 * 1024, maxStructure: 64 }
const MAX_NAME_LENGTH = 64
const MAX_SYMBOL_LENGTH = 32

export function createRpcChain(rpc: RpcClient): IndexedChain {
  const ref = (value: unknown) =>
    verified(rpc.host, () => {
      const o = parseJsonObject(value, 'block')
      return { number: parseQuantityNumber(o.number, 'block.number'), hash: parseHash(o.hash, 'block.hash') }
    })

  return {
    head: async () => ref(await rpc.call('eth_getBlockByNumber', ['latest', false])),
    async hashes(numbers) {
      const outcomes = await rpc.batch(
        numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [formatQuantity(number), false] })),
      )
      return outcomes.map((outcome): Hash | null => {
        const block = resultOf(outcome)
        return block === null ? null : ref(block).hash
      })
    },
    async blocks(from, count) {
      const numbers = Array.from({ length: count }, (_, i) => formatQuantity(from + i))
      const outcomes = await rpc.batch(
        numbers.flatMap((number) => [
          { method: 'eth_getBlockByNumber', params: [number, true] },
          { method: 'eth_getBlockReceipts', params: [number] },
        ]),
      )
      const blocks: ChainBlock[] = []
      for (let i = 0; i < count; i++) {
        const [block, receipts] = [resultOf(outcomes[2 * i]), resultOf(outcomes[2 * i + 1])]
        if (block === null || receipts === null) break
        const parsed = verified(rpc.host, () => parseChainBlock(block, receipts))
        if (
          parsed === null ||
          parsed.number !== from + i ||
          blocks.some(({ number, hash }) => number === from + i - 1 && hash !== parsed.parentHash)
        )
          break
        blocks.push(parsed)
      }
      return blocks
    },
    weightOf: ({ transactions }) => transactions.length,
    describeToken: (token) => describeToken(rpc, token),
  }
}

/** Throws ClientError when the node does not answer. */
export async function describeToken(rpc: RpcClient, token: Address): Promise<TokenMetadata> {
  const [name, symbol, decimals] = await Promise.all(METADATA_CALLS.map((data) => outputOf(rpc, token, data)))
  return {
    name: readText(name ?? null, MAX_NAME_LENGTH),
    symbol: readText(symbol ?? null, MAX_SYMBOL_LENGTH),
    decimals: readDecimals(decimals ?? null),
  }
}

function resultOf(outcome: RpcOutcome | undefined): unknown {
  if (outcome?.ok !== true) throw outcome?.error ?? new Error('the batch has no answer for a call')
  return outcome.result ?? null
}

/** A call that reverts or answers too much gives nothing. Not in a batch, whose size the client reduces after such an answer. */
async function outputOf(rpc: RpcClient, to: Address, data: Hex): Promise<Uint8Array | null> {
  try {
    const answer = await rpc.call('eth_call', [{ to, data, gas: METADATA_GAS }, 'latest'], { retry: false, limit: METADATA_LIMIT })
    return isHex(answer) ? hexToBytes(answer) : null
  } catch (error) {
    if (error instanceof ClientError && error.code === 'client/too-large') return null
    if (error instanceof RpcResponseError && error.severity !== 'temporary') return null
    throw error
  }
}
