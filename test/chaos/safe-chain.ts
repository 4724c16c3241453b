/** A safe block may change only when L1 replaced its origin. */
import { decodeL1Info } from '@keelson/derivation'
import { blockAt, type SyncStatusJson, syncStatus } from '../support/chain-reading.ts'
import { rpcCall } from '../support/json-rpc.ts'

export interface SafeBlock {
  readonly hash: string
  readonly origin: { readonly hash: string; readonly number: number }
}

export interface WatchedNode {
  readonly name: string
  readonly rpcUrl: string
  readonly rollupRpcUrl: string
}

export interface SafeChain {
  readonly node: WatchedNode
  readonly blocks: readonly SafeBlock[]
  readonly replaced: number
  heads(): Promise<SyncStatusJson | null>
  follow(safe: number): Promise<void>
}

const MAX_NEW_BLOCKS = 256

export function createSafeChain(node: WatchedNode, l1Url: string, violation: (text: string) => void): SafeChain {
  const blocks: SafeBlock[] = []
  let replaced = 0

  async function read(number: number): Promise<SafeBlock> {
    const block = await rpcCall<{ hash: string; transactions: { input: `0x${string}` }[] } | null>(node.rpcUrl, 'eth_getBlockByNumber', [
      `0x${number.toString(16)}`,
      true,
    ])
    if (block === null) throw new Error(`${node.name} has no block ${number}`)
    const { number: originNumber, hash } = decodeL1Info(Buffer.from(block.transactions[0]?.input.slice(2) ?? '', 'hex'))
    return { hash: block.hash, origin: { hash, number: originNumber } }
  }

  async function dropReplaced(): Promise<void> {
    let lowest: { number: number; now: SafeBlock } | null = null
    for (let number = blocks.length; number > 0; number--) {
      const now = await read(number)
      if (now.hash === blocks[number - 1]?.hash) break
      lowest = { number, now }
    }
    if (lowest === null) return
    const { number, now } = lowest
    const before = blocks[number - 1] as SafeBlock
    const onL1 = await blockAt(l1Url, before.origin.number)
    if (onL1?.hash === before.origin.hash) {
      violation(
        `${node.name}: safe block ${number} changed from ${before.hash} to ${now.hash}, although L1 still has its origin` +
          `${before.origin.number} ${before.origin.hash}`,
      )
    }
    replaced += blocks.length - number + 1
    blocks.length = number - 1
  }

  async function follow(safe: number): Promise<void> {
    const tip = Math.min(blocks.length, safe)
    if (tip > 0 && (await read(tip)).hash !== blocks[tip - 1]?.hash) await dropReplaced()
    for (let number = blocks.length + 1; number <= Math.min(safe, blocks.length + MAX_NEW_BLOCKS); number++) blocks.push(await read(number))
  }

  return {
    node,
    blocks,
    get replaced() {
      return replaced
    },
    async heads() {
      const status = await syncStatus(node.rollupRpcUrl).catch(() => null)
      if (status === null) return null
      const heads = [status.finalized_l2, status.safe_l2, status.unsafe_l2]
      if (heads.some((head, i) => i > 0 && head.number < (heads[i - 1]?.number ?? 0)))
        violation(`${node.name}: heads out of order: ${heads.map(({ number }) => number).join(', ')} (finalized, safe, unsafe)`)
      return status
    },
    follow: (safe) => follow(safe).catch(() => undefined),
  }
}
