import type { RpcClient } from '@keelson/client'
import { formatQuantity } from '@keelson/primitives'
import type { BlobSource } from './blob-collector.ts'
import type { L1Block, L1Blocks } from './slot-clock.ts'

interface BlockJson {
  readonly hash: string
  readonly number: string
  readonly timestamp: string
  readonly transactions: readonly { readonly blobVersionedHashes?: readonly string[] }[]
}

export function createL1Blocks(rpc: RpcClient): L1Blocks {
  return {
    async byNumber(number) {
      const block = (await rpc.call('eth_getBlockByNumber', [formatQuantity(number), true])) as BlockJson | null
      return block === null ? null : toBlock(block)
    },
    headNumber: async () => Number(await rpc.call('eth_blockNumber', [])),
  }
}

function toBlock(block: BlockJson): L1Block {
  return {
    hash: block.hash,
    number: Number(block.number),
    timestampSec: Number(block.timestamp),
    blobHashes: block.transactions.flatMap((tx) => tx.blobVersionedHashes ?? []),
  }
}

export function createBlobSource(rpc: RpcClient): BlobSource {
  return {
    async blob(versionedHash) {
      const blob = await rpc.call('anvil_getBlobByHash', [versionedHash])
      return typeof blob === 'string' ? blob : null
    },
  }
}
