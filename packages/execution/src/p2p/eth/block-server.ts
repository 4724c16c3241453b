/** Answers requests for blocks from the store. */
import { bytesToHex, type Hash, rlpBytes, rlpDecode, rlpEncodeList, rlpList } from '@keelson/primitives'
import type { ChainReader } from '../../chain/chain-reader.ts'
import type { RawBlocks } from '../../chain/raw-blocks.ts'
import { rawItems } from '../raw-list.ts'
import { type EthVersion, envelopeToRlp, type HeadersQuery } from './eth-messages.ts'
import { receiptForPeer } from './receipt-forms.ts'
import type { ReceiptsQuery } from './receipts-messages.ts'

/** Items of a response; each step that read the store yields, also when it found nothing. */
export type ResponseItems = Iterable<Uint8Array | null>

export interface BlockServer {
  headers(query: HeadersQuery): ResponseItems
  bodies(hashes: readonly Hash[]): ResponseItems
  /** The receipts of each block; those below `firstIndex` of the first block are left out. */
  receipts(version: EthVersion, query: ReceiptsQuery): Iterable<Iterable<Uint8Array>>
}

const MAX_STORED_ITEMS = 1_000_000
const EMPTY_LIST = Uint8Array.of(0xc0)

export function createBlockServer(chain: Pick<ChainReader, 'canonicalHash' | 'header' | 'label'>, raw: RawBlocks): BlockServer {
  return {
    *headers(query) {
      const { origin, skip, reverse } = query
      const number = typeof origin === 'bigint' ? origin : canonicalNumber(chain, origin)
      if (number !== null) yield* canonicalHeaders(chain, raw, number, query)
      else if (reverse && skip === 0n) yield* ancestors(raw, origin as Hash, query)
      else yield raw.header(origin as Hash)
    },
    *bodies(hashes) {
      for (const hash of hashes) {
        const stored = raw.body(hash)
        // Peers match bodies with their request by position, and receipts, too.
        if (stored === null) return
        yield bodyForPeer(stored)
      }
    },
    *receipts(version, { hashes, firstIndex }) {
      for (const [i, hash] of hashes.entries()) {
        const stored = raw.receipts(hash)
        if (stored === null) return
        yield receiptsForPeer(version, stored, i === 0 ? firstIndex : 0)
      }
    },
  }
}

function canonicalNumber(chain: Pick<ChainReader, 'canonicalHash' | 'header'>, hash: Hash): bigint | null {
  const number = chain.header(hash)?.number
  return number !== undefined && chain.canonicalHash(number) === hash ? BigInt(number) : null
}

function* canonicalHeaders(
  chain: Pick<ChainReader, 'canonicalHash' | 'label'>,
  raw: RawBlocks,
  first: bigint,
  { amount, skip, reverse }: HeadersQuery,
): ResponseItems {
  const head = BigInt(chain.label('unsafe').header.number)
  const step = reverse ? -(skip + 1n) : skip + 1n
  let number = first
  for (let sent = 0n; sent < amount && number >= 0n && number <= head; sent++, number += step) {
    const hash = chain.canonicalHash(Number(number))
    const header = hash === null ? null : raw.header(hash)
    yield header
    if (header === null) return
  }
}

function* ancestors(raw: RawBlocks, hash: Hash, { amount }: HeadersQuery): ResponseItems {
  let at = hash
  for (let sent = 0n; sent < amount; sent++) {
    const header = raw.header(at)
    yield header
    if (header === null) return
    at = bytesToHex(rlpBytes(rlpDecode(rawItems(header, 64, 'header')[0] as Uint8Array), 'parent hash', 32)) as Hash
  }
}

/** [transactions, ommers, withdrawals?] */
function bodyForPeer(stored: Uint8Array): Uint8Array {
  const [transactions, withdrawals] = rawItems(stored, 2, 'stored body') as [Uint8Array, Uint8Array | undefined]
  const envelopes = rlpList(rlpDecode(transactions), 'stored transactions').map((item) => envelopeToRlp(rlpBytes(item, 'transaction')))
  return rlpEncodeList([rlpEncodeList(envelopes), EMPTY_LIST, ...(withdrawals === undefined ? [] : [withdrawals])])
}

function* receiptsForPeer(version: EthVersion, stored: Uint8Array, from: number): Iterable<Uint8Array> {
  for (const item of rawItems(stored, MAX_STORED_ITEMS, 'stored receipts').slice(from)) {
    const [receipt, nonce] = rlpList(rlpDecode(item), 'stored receipt')
    yield receiptForPeer(version, rlpBytes(receipt, 'receipt'), rlpBytes(nonce, 'deposit nonce'))
  }
}
