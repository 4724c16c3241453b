import { CodecError, decodeReceipt, orderedListRoot, type Receipt, rlpBytes } from '@keelson/primitives'
import { createTurnTaker } from '@keelson/runtime'
import { rlpString } from '../../p2p/bounded-rlp.ts'
import { rawItems } from '../../p2p/raw-list.ts'
import type { Judgement, PeerRequest } from '../peers/peer-pool.ts'
import type { RawHeader } from '../skeleton/raw-header.ts'

export type FetchedReceipts =
  | { readonly kind: 'receipts'; readonly receipts: readonly Receipt[] }
  /** The header commits to these receipts, which cannot be read. */
  | { readonly kind: 'undecodable'; readonly reason: string }

const FIRST_LIST_BYTE = 0xc0
/** A transaction takes at least 21,000 gas, and a deposit more bytes than a block can hold this many times. */
const MAX_RECEIPTS = 100_000

/** The response holds the receipts of the first headers, at least one. */
export function receiptsOf(headers: readonly RawHeader[]): PeerRequest<readonly Uint8Array[], readonly FetchedReceipts[]> {
  return {
    kind: 'receipts',
    send: (peer, signal) =>
      peer.receipts(
        headers.map(({ hash }) => hash),
        signal,
      ),
    judge: (response) => judgeReceipts(response, headers),
  }
}

async function judgeReceipts(
  response: readonly Uint8Array[],
  headers: readonly RawHeader[],
): Promise<Judgement<readonly FetchedReceipts[]>> {
  if (response.length > headers.length) return { kind: 'invalid', reason: `${response.length} receipts for ${headers.length} blocks` }
  const turn = createTurnTaker()
  const fetched: FetchedReceipts[] = []
  for (const [i, raw] of response.entries()) {
    const encoded = splitReceipts(raw)
    const root = encoded === null ? null : orderedListRoot(encoded)
    if (encoded === null || root !== headers[i]?.header.receiptsRoot) {
      // A peer leaves out blocks that it does not have.
      if (headers.slice(i + 1).some(({ header }) => header.receiptsRoot === root)) break
      return { kind: 'invalid', reason: `receipts that belong to none of the blocks asked for, from ${headers[0]?.header.number} on` }
    }
    fetched.push(decodeAll(encoded))
    await turn()
  }
  if (fetched.length === 0) return { kind: 'useless', reason: `no receipts of block ${headers[0]?.header.number}` }
  return { kind: 'good', value: fetched, items: fetched.length }
}

/** As hashed into the root; null for bytes that are no list of receipts. The lists inside stay unread. */
function splitReceipts(raw: Uint8Array): readonly Uint8Array[] | null {
  try {
    return rawItems(raw, MAX_RECEIPTS, 'receipts of a block').map((item) =>
      (item[0] as number) >= FIRST_LIST_BYTE ? item : rlpBytes(rlpString(item), 'typed receipt'),
    )
  } catch (error) {
    if (error instanceof CodecError) return null
    throw error
  }
}

function decodeAll(encoded: readonly Uint8Array[]): FetchedReceipts {
  try {
    return { kind: 'receipts', receipts: encoded.map(decodeReceipt) }
  } catch (error) {
    if (error instanceof CodecError) return { kind: 'undecodable', reason: error.message }
    throw error
  }
}
