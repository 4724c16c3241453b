import type { LoggedReceipt, RpcClient } from '@keelson/client'
import { RpcResponseError } from '@keelson/client'
import { type Address, bytesToHex, formatQuantity, type Hash, type L1BlockRef } from '@keelson/primitives'
import type { ChainReader } from './chains.ts'

export interface FakeChain extends ChainReader {
  readonly answers: Map<string, Uint8Array>
  readonly receipts: Map<Hash, LoggedReceipt>
  readonly pool: Set<Hash>
  readonly transactions: Map<Hash, object>
  head: Partial<L1BlockRef>
  safe: Partial<L1BlockRef>
  answer(to: Address, data: Uint8Array, result: Uint8Array): void
}

export function createFakeChain(): FakeChain {
  const call = async (to: Address, data: Uint8Array) => {
    const found = chain.answers.get(to + bytesToHex(data))
    if (found === undefined) throw new RpcResponseError('critical', 'eth_call', 3, 'execution reverted', '0x')
    return found
  }
  const rpc: Pick<RpcClient, 'host' | 'call'> = {
    host: 'fake.example',
    async call(method, [hash]) {
      const receipt = chain.receipts.get(hash as Hash)
      if (method === 'eth_getTransactionReceipt') return receipt === undefined ? null : receiptJson(receipt)
      if (method === 'eth_getTransactionByHash')
        return chain.transactions.get(hash as Hash) ?? (receipt !== undefined || chain.pool.has(hash as Hash) ? {} : null)
      throw new Error(`${method} is not known here`)
    },
  }
  const chain: FakeChain = {
    answers: new Map(),
    receipts: new Map(),
    pool: new Set(),
    transactions: new Map(),
    head: { number: 100, timestampSec: 1000 },
    safe: { number: 50, timestampSec: 900 },
    rpc: rpc as RpcClient,
    answer: (to, data, result) => void chain.answers.set(to + bytesToHex(data), result),
    call,
    tryCall: (to, data) => call(to, data).catch(() => null),
    balanceWei: async () => 0n,
    blockRef: async (at) =>
      (at === 'latest' ? chain.head : typeof at === 'number' ? { number: at, timestampSec: at * 2 } : chain.safe) as L1BlockRef,
  }
  return chain
}

function receiptJson({ transactionHash, block, from, succeeded, gasUsed, logs }: LoggedReceipt) {
  return {
    transactionHash,
    blockHash: block.hash,
    blockNumber: formatQuantity(block.number),
    from,
    status: succeeded ? '0x1' : '0x0',
    gasUsed: formatQuantity(gasUsed),
    logs: logs.map(({ log, index }) => ({ ...log, data: bytesToHex(log.data), logIndex: formatQuantity(index) })),
  }
}
