/** Reads blocks and gas prices of a chain. */
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
  /** Null on chains without a base fee. */
  readonly baseFeeWei: bigint | null
}

/** Null when the chain has no such block. Throws SourceError. */
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

export interface GasFacts {
  /** The gas price that the node proposes. */
  readonly gasPriceWei: bigint
  readonly baseFeeWei: bigint | null
}

/** Throws SourceError. */
export async function readGas(client: ChainClient): Promise<GasFacts> {
  const [gasPriceWei, block] = await Promise.all([client.ask((viem) => viem.getGasPrice()), readBlock(client, 'latest')])
  return { gasPriceWei, baseFeeWei: block?.baseFeeWei ?? null }
}

/** Base fees of the newest blocks, oldest first, then the next block's; empty on chains without base fees. Throws SourceError. */
export async function readBaseFees(client: ChainClient, blocks: number): Promise<readonly bigint[]> {
  const { baseFeePerGas } = await client.ask((viem) => viem.getFeeHistory({ blockCount: blocks, rewardPercentiles: [] }))
  return baseFeePerGas ?? []
}
