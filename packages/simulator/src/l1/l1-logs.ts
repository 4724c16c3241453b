/** eth_getLogs for one address and a range of blocks. */
import type { Address, Hash } from '@keelson/primitives'
import type { L1Block } from './l1-block.ts'
import { receiptJson, type SenderOf } from './l1-json.ts'

export interface LogFilter {
  readonly address: Address
  readonly topics: readonly (Hash | null)[]
  readonly fromBlock: string
  readonly toBlock: string
}

interface LogJson {
  readonly address: Address
  readonly topics: readonly Hash[]
}

export function logsJsonOf(filter: LogFilter, blockAt: (number: number) => L1Block | null, senderOf: SenderOf): readonly LogJson[] {
  const found: LogJson[] = []
  for (let number = Number(filter.fromBlock); number <= Number(filter.toBlock); number++) {
    const block = blockAt(number)
    if (block === null) break
    for (const [index, { logs }] of block.receipts.entries()) {
      if (!logs.some(({ address }) => address === filter.address)) continue
      found.push(...(receiptJson(block, index, senderOf).logs as LogJson[]).filter((log) => matches(log, filter)))
    }
  }
  return found
}

function matches(log: LogJson, { address, topics }: LogFilter): boolean {
  return log.address === address && topics.every((topic, i) => topic === null || topic === log.topics[i])
}
