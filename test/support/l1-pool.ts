/** JSON-RPC of the in-memory L1, with geth's pool rules for one account. */
import type { RpcClient } from '@keelson/client'
import {
  type Address,
  concatBytes,
  decodeSignedTransaction,
  formatQuantity,
  type Hash,
  hexToBytes,
  maxFeePerGasWei,
  maxPriorityFeePerGasWei,
  type RlpInput,
  rlpDecode,
  rlpEncode,
  rlpList,
  type SignedTransaction,
  TX_BLOB,
} from '@keelson/primitives'
import { createFakeRpc, rpcFailure } from '../../packages/client/src/fake-rpc.test-support.ts'
import type { FakeL1 } from './fake-l1.ts'

export interface L1Pool {
  readonly rpc: RpcClient
  baseFeeWei: bigint
  tipWei: bigint
  blobBaseFeeWei: bigint
  readonly taken: readonly SignedTransaction[]
  readonly size: number
  mine(atMost?: number): void
  reorg(depth: number, keepTransactions: boolean): void
  forget(): void
}

interface Waiting {
  readonly tx: SignedTransaction
  readonly blobs: readonly Uint8Array[]
}

export function createL1Pool(l1: FakeL1, account: Address): L1Pool {
  const waiting = new Map<bigint, Waiting>()
  const blobsOf = new Map<Hash, readonly Uint8Array[]>()
  const taken: SignedTransaction[] = []
  const transactionsUpTo = (number: number) => {
    let count = 0n
    for (let at = 0; at <= number; at++) count += BigInt(l1.block(at)?.transactions.length ?? 0)
    return count
  }
  const latestNonce = () => transactionsUpTo(l1.head.number)
  const pendingNonce = () => {
    let nonce = latestNonce()
    while (waiting.has(nonce)) nonce++
    return nonce
  }

  const pool: L1Pool = {
    rpc: createFakeRpc({
      eth_getTransactionCount: (_address: string, at: string) =>
        formatQuantity(at === 'latest' ? latestNonce() : at === 'pending' ? pendingNonce() : transactionsUpTo(Number(at))),
      eth_blockNumber: () => formatQuantity(l1.head.number),
      eth_getBlockByNumber: (at: string, full?: boolean) => blockAt(at === 'latest' ? l1.head.number : Number(at), full === true),
      eth_getTransactionByHash: (hash: Hash) =>
        [...waiting.values()].some(({ tx }) => tx.hash === hash) || typeof l1.where(hash) === 'number' ? { hash } : null,
      eth_maxPriorityFeePerGas: () => formatQuantity(pool.tipWei),
      eth_blobBaseFee: () => formatQuantity(pool.blobBaseFeeWei),
      eth_estimateGas: () => formatQuantity(100_000n),
      eth_sendRawTransaction: (raw: string) => accept(decodeNetworkForm(hexToBytes(raw))),
      eth_getTransactionReceipt: (hash: Hash) => receiptOf(hash),
    }),
    baseFeeWei: 1000n,
    tipWei: 100n,
    blobBaseFeeWei: 10n,
    taken,
    get size() {
      return waiting.size
    },
    mine(atMost = Number.POSITIVE_INFINITY) {
      let count = 0
      for (let nonce = latestNonce(); count < atMost; nonce++, count++) {
        const next = waiting.get(nonce)
        if (next === undefined || maxFeePerGasWei(next.tx) < pool.baseFeeWei) break
        if (next.tx.type === TX_BLOB && next.tx.maxFeePerBlobGasWei < pool.blobBaseFeeWei) break
        waiting.delete(nonce)
        l1.sendAgain(next.tx, next.blobs)
      }
      l1.mine()
    },
    reorg(depth, keepTransactions) {
      const lost = Array.from({ length: depth }, (_, i) => l1.block(l1.head.number - i)?.transactions ?? []).flat() as SignedTransaction[]
      l1.reorg(depth, { keepTransactions: false, newBlocks: depth + 1 })
      if (keepTransactions) for (const tx of lost) waiting.set(tx.nonce, { tx, blobs: blobsOf.get(tx.hash) ?? [] })
    },
    forget: () => waiting.clear(),
  }

  function decodeNetworkForm(raw: Uint8Array): Waiting {
    if (raw[0] !== TX_BLOB) return { tx: decodeSignedTransaction(raw), blobs: [] }
    const [fields, blobs] = rlpList(rlpDecode(raw.subarray(1)), 'network form')
    const tx = decodeSignedTransaction(concatBytes(Uint8Array.of(TX_BLOB), rlpEncode(fields as RlpInput)))
    return { tx, blobs: blobs as unknown as readonly Uint8Array[] }
  }

  function accept(candidate: Waiting): Hash {
    const { tx } = candidate
    if (tx.nonce < latestNonce()) throw rpcFailure(-32000, `nonce too low: next nonce ${latestNonce()}, tx nonce ${tx.nonce}`)
    const before = waiting.get(tx.nonce)?.tx
    if (before?.hash === tx.hash) throw rpcFailure(-32000, 'already known')
    const otherKind = [...waiting.values()].some((other) => (other.tx.type === TX_BLOB) !== (tx.type === TX_BLOB))
    if (otherKind) throw rpcFailure(-32000, 'address already reserved')
    if (before !== undefined && !replaces(tx, before)) throw rpcFailure(-32000, 'replacement transaction underpriced')
    waiting.set(tx.nonce, candidate)
    blobsOf.set(tx.hash, candidate.blobs)
    taken.push(tx)
    return tx.hash
  }

  function blockAt(number: number, full: boolean): Record<string, unknown> | null {
    const block = l1.block(number)
    if (block === undefined || block === null) return null
    const transactions = (block.transactions as readonly SignedTransaction[]).map(({ hash, nonce }) => ({
      hash,
      from: account,
      nonce: formatQuantity(nonce),
    }))
    return { number: formatQuantity(number), baseFeePerGas: formatQuantity(pool.baseFeeWei), ...(full ? { transactions } : {}) }
  }

  function receiptOf(hash: Hash): Record<string, unknown> | null {
    const number = l1.where(hash)
    if (typeof number !== 'number') return null
    return {
      transactionHash: hash,
      blockHash: l1.block(number)?.ref.hash,
      blockNumber: formatQuantity(number),
      status: '0x1',
      gasUsed: '0x5208',
      effectiveGasPrice: formatQuantity(pool.baseFeeWei + pool.tipWei),
    }
  }

  return pool
}

function replaces(tx: SignedTransaction, before: SignedTransaction): boolean {
  const percent = before.type === TX_BLOB ? 200n : 110n
  const enough = (now: bigint, then: bigint) => now > then && now * 100n >= then * percent
  if (tx.type === TX_BLOB && before.type === TX_BLOB && !enough(tx.maxFeePerBlobGasWei, before.maxFeePerBlobGasWei)) return false
  return enough(maxFeePerGasWei(tx), maxFeePerGasWei(before)) && enough(maxPriorityFeePerGasWei(tx), maxPriorityFeePerGasWei(before))
}
