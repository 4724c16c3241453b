import { type Hash, toHash } from '@keelson/primitives'
import { BlockNotFoundError } from 'viem'
import type { ChainClient } from './chain-client.ts'

export type BlockTag = 'latest' | 'safe' | 'finalized'
export type BlockAt = BlockTag | number | Hash

export interface BlockFacts {
  readonly number: number
  readonly hash: Hash
  readonly parentHash: Hash
  readonly timestampSec: number
  readonly transactions: number
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  readonly baseFeeWei: bigint | null
}

/** Throws SourceError. */
export function readBlock(client: ChainClient, at: BlockAt): Promise<BlockFacts | null> {
  return client.ask(async (viem) => {
    const which =
      typeof at === 'number' ? { blockNumber: BigInt(at) } : at.startsWith('0x') ? { blockHash: at as Hash } : { blockTag: at as BlockTag }
    const block = await viem.getBlock(which).catch((error: unknown) => {
      if (error instanceof BlockNotFoundError) return null
      throw error
    })
    if (block === null || block.number === null || block.hash === null) return null
    return {
      number: Number(block.number),
      hash: toHash(block.hash),
      parentHash: toHash(block.parentHash),
      timestampSec: Number(block.timestamp),
      transactions: block.transactions.length,
      gasUsed: block.gasUsed,
      gasLimit: block.gasLimit,
      baseFeeWei: block.baseFeePerGas,
    }
  })
}
