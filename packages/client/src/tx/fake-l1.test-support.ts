/** An L1 in memory: one account, geth's pool rules, blocks and reorgs. */
import {
  type Address,
  concatBytes,
  decodeSignedTransaction,
  formatQuantity,
  type Hash,
  hexToBytes,
  keccak256,
  maxFeePerGasWei,
  maxPriorityFeePerGasWei,
  type RlpInput,
  rlpDecode,
  rlpEncode,
  rlpList,
  type SignedTransaction,
  TX_BLOB,
  toHash,
  u64ToBytes,
} from '@keelson/primitives'
import { createFakeRpc, type FakeRpc, rpcFailure } from '../fake-rpc.test-support.ts'

export interface FakeL1 {
  readonly rpc: FakeRpc
  readonly account: Address
  baseFeeWei: bigint
  tipWei: bigint
  blobBaseFeeWei: bigint
  balanceWei: bigint
  gas: bigint
  /** Throws to refuse the transaction. */
  onSend: (tx: SignedTransaction) => void
  /** Hides mined transactions and receipts, like a lagging node. */
  receiptsLag: boolean
  /** Null answers like a node that knows no finalized block. */
  finalizedNumber: number | null
  readonly pool: Map<bigint, SignedTransaction>
  readonly sent: SignedTransaction[]
  lastSidecar: readonly (readonly Uint8Array[])[]
  readonly mined: () => readonly SignedTransaction[]
  readonly blockCount: number
  mine(count?: number): void
  mineForeign(): void
  /** Removed transactions return to the pool or are lost. */
  reorg(depth: number, keepInPool: boolean): void
}

type Block = readonly (SignedTransaction | 'foreign')[]

export function createFakeL1(account: Address): FakeL1 {
  const blocks: Block[] = [[]]
  const pool = new Map<bigint, SignedTransaction>()
  const nonceAt = (number: number) => BigInt(blocks.slice(0, number + 1).flat().length)
  const latestNonce = () => nonceAt(blocks.length - 1)
  const pendingNonce = () => {
    let nonce = latestNonce()
    while (pool.has(nonce)) nonce++
    return nonce
  }

  const l1: FakeL1 = {
    account,
    rpc: createFakeRpc({
      eth_getTransactionCount: (_address: string, at: string) =>
        formatQuantity(at === 'latest' ? latestNonce() : at === 'pending' ? pendingNonce() : nonceAt(Number(at))),
      eth_blockNumber: () => formatQuantity(blocks.length - 1),
      eth_getBlockByNumber: (at: string, full?: boolean) => blockAt(numberOf(at), full === true),
      eth_getTransactionByHash: (hash: Hash) => (isKnown(hash) ? { hash } : null),
      eth_maxPriorityFeePerGas: () => formatQuantity(l1.tipWei),
      eth_blobBaseFee: () => formatQuantity(l1.blobBaseFeeWei),
      eth_getBalance: () => formatQuantity(l1.balanceWei),
      eth_estimateGas: () => formatQuantity(l1.gas),
      eth_sendRawTransaction: (raw: string) => accept(decodeNetworkForm(hexToBytes(raw))),
      eth_getTransactionReceipt: (hash: Hash) => receiptOf(hash),
    }),
    baseFeeWei: 1000n,
    tipWei: 100n,
    blobBaseFeeWei: 10n,
    balanceWei: 10n ** 18n,
    gas: 21_000n,
    onSend: () => undefined,
    receiptsLag: false,
    finalizedNumber: null,
    pool,
    sent: [],
    lastSidecar: [],
    mined: () => blocks.flat().filter((entry) => entry !== 'foreign'),
    get blockCount() {
      return blocks.length
    },
    mine(count = 1) {
      for (let i = 0; i < count; i++) {
        const block: SignedTransaction[] = []
        for (let nonce = latestNonce(); ; nonce++) {
          const tx = pool.get(nonce)
          if (tx === undefined || maxFeePerGasWei(tx) < l1.baseFeeWei) break
          if (tx.type === TX_BLOB && tx.maxFeePerBlobGasWei < l1.blobBaseFeeWei) break
          block.push(tx)
          pool.delete(nonce)
        }
        blocks.push(block)
      }
    },
    mineForeign() {
      pool.delete(latestNonce())
      blocks.push(['foreign'])
    },
    reorg(depth, keepInPool) {
      const lost = blocks.splice(-depth).flat()
      if (!keepInPool) return
      for (const tx of lost) if (tx !== 'foreign') pool.set(tx.nonce, tx)
    },
  }

  function numberOf(at: string): number {
    if (at === 'latest') return blocks.length - 1
    if (at !== 'finalized') return Number(at)
    if (l1.finalizedNumber === null) throw rpcFailure(-39001, 'finalized block not found')
    return l1.finalizedNumber
  }

  function decodeNetworkForm(raw: Uint8Array): SignedTransaction {
    if (raw[0] !== TX_BLOB) return decodeSignedTransaction(raw)
    const [fields, ...sidecar] = rlpList(rlpDecode(raw.subarray(1)), 'network form')
    l1.lastSidecar = sidecar as unknown as readonly (readonly Uint8Array[])[]
    return decodeSignedTransaction(concatBytes(Uint8Array.of(TX_BLOB), rlpEncode(fields as RlpInput)))
  }

  function accept(tx: SignedTransaction): Hash {
    l1.sent.push(tx)
    l1.onSend(tx)
    if (tx.nonce < latestNonce()) throw rpcFailure(-32000, `nonce too low: next nonce ${latestNonce()}, tx nonce ${tx.nonce}`)
    const before = pool.get(tx.nonce)
    if (before?.hash === tx.hash) throw rpcFailure(-32000, 'already known')
    if (maxFeePerGasWei(tx) * tx.gasLimit > l1.balanceWei) throw rpcFailure(-32000, 'insufficient funds for gas * price + value')
    if (before !== undefined && !replaces(tx, before)) throw rpcFailure(-32000, 'replacement transaction underpriced')
    pool.set(tx.nonce, tx)
    return tx.hash
  }

  function isKnown(hash: Hash): boolean {
    return [...pool.values()].some((tx) => tx.hash === hash) || (!l1.receiptsLag && l1.mined().some((tx) => tx.hash === hash))
  }

  function blockAt(number: number, full: boolean): Record<string, unknown> | null {
    const block = blocks[number]
    if (block === undefined) return null
    const first = number === 0 ? 0n : nonceAt(number - 1)
    const transactions = block.map((tx, i) => ({
      hash: tx === 'foreign' ? toHash(keccak256(u64ToBytes(first + BigInt(i)))) : tx.hash,
      from: l1.account,
      nonce: formatQuantity(first + BigInt(i)),
    }))
    return { number: formatQuantity(number), baseFeePerGas: formatQuantity(l1.baseFeeWei), ...(full ? { transactions } : {}) }
  }

  function receiptOf(hash: Hash): Record<string, unknown> | null {
    const number = blocks.findIndex((block) => block.some((tx) => tx !== 'foreign' && tx.hash === hash))
    if (number === -1 || l1.receiptsLag) return null
    return {
      transactionHash: hash,
      blockHash: toHash(keccak256(u64ToBytes(BigInt(number)))),
      blockNumber: formatQuantity(number),
      status: '0x1',
      gasUsed: '0x5208',
      effectiveGasPrice: formatQuantity(l1.baseFeeWei + l1.tipWei),
    }
  }

  return l1
}

function replaces(tx: SignedTransaction, before: SignedTransaction): boolean {
  const percent = before.type === TX_BLOB ? 200n : 110n
  const enough = (now: bigint, then: bigint) => now > then && now * 100n >= then * percent
  if (tx.type === TX_BLOB && before.type === TX_BLOB && !enough(tx.maxFeePerBlobGasWei, before.maxFeePerBlobGasWei)) return false
  return enough(maxFeePerGasWei(tx), maxFeePerGasWei(before)) && enough(maxPriorityFeePerGasWei(tx), maxPriorityFeePerGasWei(before))
}
