/** Peers in memory that serve a real chain, in a list that drops a peer for an invalid response, as the execution network does. */
import type { ChainReader, PeerFault, SyncPeer, SyncPeers } from '@keelson/execution'
import {
  type Block,
  encodeHeader,
  encodeReceipt,
  type Hash,
  hashHeader,
  type RlpInput,
  rlpDecode,
  rlpEncode,
  rlpEncodeList,
  TX_LEGACY,
  withdrawalFields,
} from '@keelson/primitives'

export interface ListedPeer extends SyncPeer {
  readonly faults: PeerFault[]
}

export interface PeerList extends SyncPeers {
  list(): readonly ListedPeer[]
  join(peer: ListedPeer): void
  leave(id: string): void
}

export function createPeerList(members: readonly ListedPeer[] = []): PeerList {
  let peers: readonly ListedPeer[] = []
  const listeners = new Set<() => void>()
  const change = (to: readonly ListedPeer[]) => {
    peers = to
    for (const listener of listeners) listener()
  }
  const leave = (id: string) => change(peers.filter((peer) => peer.id !== id))
  const list: PeerList = {
    list: () => peers,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    join(peer) {
      const penalize = (fault: PeerFault) => {
        peer.faults.push(fault)
        peer.penalize(fault)
        if (fault.kind === 'invalid') leave(peer.id)
      }
      change([...peers, { ...peer, penalize }])
    },
    leave,
  }
  for (const member of members) list.join(member)
  return list
}

export interface ServedChain {
  block(at: Hash | number): Block | null
  receipts(hash: Hash): readonly Uint8Array[] | null
}

export function servedChain(chain: ChainReader): ServedChain {
  return {
    block(at) {
      const hash = typeof at === 'number' ? chain.canonicalHash(at) : at
      return hash === null ? null : chain.block(hash)
    },
    receipts: (hash) => chain.receipts(hash)?.map(({ receipt }) => encodeReceipt(receipt)) ?? null,
  }
}

/** Servers stop at this size. */
const SOFT_LIMIT_BYTES = 2 * 2 ** 20
const MAX_ITEMS = 1_024

export function chainPeer(id: string, chain: ServedChain, lies: Partial<SyncPeer> = {}): ListedPeer {
  const collect = (hashes: readonly Hash[], encode: (hash: Hash) => Uint8Array | null) => {
    const items: Uint8Array[] = []
    let bytes = 0
    for (const hash of hashes.slice(0, MAX_ITEMS)) {
      const item = bytes > SOFT_LIMIT_BYTES ? null : encode(hash)
      if (item === null) continue
      items.push(item)
      bytes += item.length
    }
    return items
  }
  return {
    id,
    faults: [],
    async headers({ start, count, reverse }) {
      const found: Uint8Array[] = []
      let at = chain.block(start)
      while (at !== null && found.length < Math.min(count, MAX_ITEMS)) {
        found.push(encodeHeader(at.header))
        at = chain.block(reverse ? at.header.parentHash : at.header.number + 1)
      }
      return found
    },
    async bodies(hashes) {
      return collect(hashes, (hash) => {
        const block = chain.block(hash)
        return block === null ? null : encodeBodyOf(block)
      })
    },
    async receipts(hashes) {
      return collect(hashes, (hash) => {
        const receipts = chain.receipts(hash)
        return receipts === null
          ? null
          : rlpEncodeList(receipts.map((receipt) => ((receipt[0] as number) < 0x80 ? rlpEncode(receipt) : receipt)))
      })
    },
    penalize: () => undefined,
    ...lies,
  }
}

export function encodeBodyOf({ transactions, withdrawals }: Block): Uint8Array {
  const txs = transactions.map((tx) => (tx.type === TX_LEGACY ? (rlpDecode(tx.raw) as RlpInput) : tx.raw))
  return rlpEncode(withdrawals === null ? [txs, []] : [txs, [], withdrawals.map(withdrawalFields)])
}

/** The same blocks on a changed one: each header names the new hash of its parent. */
export function rebuiltChain(
  chain: ServedChain,
  from: number,
  to: number,
  change: (block: Block) => Block,
): ServedChain & { readonly head: Block } {
  const blocks = new Map<Hash | number, Block>()
  let parent: Block | null = null
  for (let number = from; number <= to; number++) {
    const honest = chain.block(number) as Block
    const changed: Block =
      number === from ? change(honest) : { ...honest, header: { ...honest.header, parentHash: (parent as Block).hash } }
    parent = { ...changed, hash: hashHeader(changed.header) }
    blocks.set(parent.hash, parent)
    blocks.set(number, parent)
  }
  return {
    head: parent as Block,
    block: (at) => blocks.get(at) ?? (typeof at === 'number' && at >= from ? null : chain.block(at)),
    receipts: () => null,
  }
}
