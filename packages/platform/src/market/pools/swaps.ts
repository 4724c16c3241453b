/** IUniswapV2Pair */
import { type Address, type Hash, toAddress, toHash } from '@keelson/primitives'
import { parseAbiItem } from 'viem'
import { type ChainClient, inPages } from '../chain/chain-client.ts'

export interface SwapEvent {
  readonly pool: Address
  readonly blockNumber: number
  readonly blockHash: Hash
  readonly timestampSec: number
  readonly transactionHash: Hash
  readonly logIndex: number
  readonly in0: bigint
  readonly in1: bigint
  readonly out0: bigint
  readonly out1: bigint
  readonly to: Address
}

export interface BlockRange {
  readonly fromBlock: number
  readonly toBlock: number
}

export const MAX_SWAP_BLOCKS = 2_000

const SWAP = parseAbiItem(
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
)

/** Throws SourceError, or RangeError above MAX_SWAP_BLOCKS. */
export async function readSwaps(
  client: ChainClient,
  pools: readonly Address[],
  { fromBlock, toBlock }: BlockRange,
): Promise<readonly SwapEvent[]> {
  if (toBlock - fromBlock >= MAX_SWAP_BLOCKS)
    throw new RangeError(`expected at most ${MAX_SWAP_BLOCKS} blocks, got ${fromBlock} to ${toBlock}`)
  if (pools.length === 0 || toBlock < fromBlock) return []
  const range = { fromBlock: BigInt(fromBlock), toBlock: BigInt(toBlock) }
  const logs = await client.ask((viem) => viem.getLogs({ address: [...pools], event: SWAP, strict: true, ...range }))
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
  const blocks = await inPages(numbers, (blockNumber) => client.ask((viem) => viem.getBlock({ blockNumber })))
  const times = new Map(blocks.map(({ number, timestamp }) => [number, Number(timestamp)]))
  return logs
    .map(({ args, address, blockNumber, blockHash, transactionHash, logIndex }) => ({
      pool: toAddress(address),
      blockNumber: Number(blockNumber),
      blockHash: toHash(blockHash),
      timestampSec: times.get(blockNumber) as number,
      transactionHash: toHash(transactionHash),
      logIndex,
      in0: args.amount0In,
      in1: args.amount1In,
      out0: args.amount0Out,
      out1: args.amount1Out,
      to: toAddress(args.to),
    }))
    .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}
