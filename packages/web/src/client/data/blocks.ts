import { quantity, toQuantity } from '../format/hex.ts'
import { l1OriginOf } from './l1-origin.ts'
import { rpcAll } from './rpc.ts'

/** An L2 block as the first page shows it. */
export interface BlockSummary {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly timeMs: number
  readonly transactions: number
  readonly gasUsed: number
  readonly gasLimit: number
  readonly baseFeeWei: bigint
  /** Null if the first transaction cannot be read. */
  readonly l1Origin: number | null
}

export interface BlockJson {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: string
  readonly transactions: readonly unknown[]
  readonly gasUsed: string
  readonly gasLimit: string
  readonly baseFeePerGas?: string
}

/** Blocks that the node does not have are left out. */
export async function fetchBlocks(numbers: readonly number[]): Promise<readonly BlockSummary[]> {
  const calls = numbers.flatMap((number) => [
    { method: 'eth_getBlockByNumber', params: [toQuantity(number), false] },
    { method: 'eth_getTransactionByBlockNumberAndIndex', params: [toQuantity(number), '0x0'] },
  ])
  const results = await rpcAll(calls)
  return numbers.flatMap((_, i) => {
    const block = results[2 * i] as BlockJson | null
    return block === null ? [] : [summaryOf(block, results[2 * i + 1] as { readonly input?: string } | null)]
  })
}

export function summaryOf(block: BlockJson, first: { readonly input?: string } | null): BlockSummary {
  return {
    number: quantity(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timeMs: quantity(block.timestamp) * 1000,
    transactions: block.transactions.length,
    gasUsed: quantity(block.gasUsed),
    gasLimit: quantity(block.gasLimit),
    baseFeeWei: BigInt(block.baseFeePerGas ?? 0),
    l1Origin: first?.input === undefined ? null : l1OriginOf(first.input),
  }
}
