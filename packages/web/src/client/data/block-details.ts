import { isHash, quantity, toQuantity } from '../format/hex.ts'
import { type BlockJson, type BlockSummary, summaryOf } from './blocks.ts'
import { rpc } from './rpc.ts'

export interface BlockDetails extends BlockSummary {
  readonly sizeBytes: number
  readonly feeRecipient: string
  readonly stateRoot: string
}

interface FullBlockJson extends BlockJson {
  readonly size: string
  readonly miner: string
  readonly stateRoot: string
}

/** `id` is a height or a hash. The block is null if the node does not have it. */
export async function fetchBlock(id: string): Promise<{ readonly block: BlockDetails | null }> {
  const block = isHash(id)
    ? await rpc<FullBlockJson | null>('eth_getBlockByHash', [id, false])
    : await rpc<FullBlockJson | null>('eth_getBlockByNumber', [toQuantity(Number(id)), false])
  if (block === null) return { block: null }
  const first = await rpc<{ readonly input?: string } | null>('eth_getTransactionByBlockHashAndIndex', [block.hash, '0x0'])
  const { size, miner, stateRoot } = block
  return { block: { ...summaryOf(block, first), sizeBytes: quantity(size), feeRecipient: miner, stateRoot } }
}
