/** Chains of headers without bodies, and peers that serve them. */
import { EMPTY_TRIE_ROOT, encodeHeader, type Hash, type Header, hashHeader } from '@keelson/primitives'
import type { ListedPeer } from './sync-peers.ts'

export interface TestHeader {
  readonly hash: Hash
  readonly header: Header
  readonly raw: Uint8Array
}

/** `seed` makes the hashes of two chains on the same parent differ. */
export function headersOn(parent: { readonly hash: Hash; readonly header: Header }, count: number, seed = 0): readonly TestHeader[] {
  const chain: TestHeader[] = []
  let below: { readonly hash: Hash; readonly header: Header } = parent
  for (let i = 0; i < count; i++) {
    const { number, timestampSec } = below.header
    const header: Header = {
      ...below.header,
      parentHash: below.hash,
      number: number + 1,
      timestampSec: timestampSec + 2,
      gasUsed: BigInt(seed),
      transactionsRoot: EMPTY_TRIE_ROOT,
    }
    below = { hash: hashHeader(header), header }
    chain.push({ ...below, raw: encodeHeader(header) })
  }
  return chain
}

export type HeaderAnswer = ListedPeer['headers']

/** Serves by hash what it was given, and by number its last chain. */
export function serveHeaders(...chains: readonly (readonly TestHeader[])[]): HeaderAnswer {
  const canonical = new Map<number, TestHeader>()
  const byHash = new Map<Hash, TestHeader>()
  for (const one of chains.flat()) {
    canonical.set(one.header.number, one)
    byHash.set(one.hash, one)
  }
  return async ({ start, count, reverse }) => {
    const found: Uint8Array[] = []
    let at = typeof start === 'number' ? canonical.get(start) : byHash.get(start)
    while (at !== undefined && found.length < count) {
      found.push(at.raw)
      at = reverse ? byHash.get(at.header.parentHash) : canonical.get(at.header.number + 1)
    }
    return found
  }
}

export function headerPeer(id: string, headers: HeaderAnswer): ListedPeer {
  const none = async () => []
  return { id, headers, bodies: none, receipts: none, faults: [], penalize: () => undefined }
}
