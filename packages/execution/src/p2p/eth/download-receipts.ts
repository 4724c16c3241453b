/** Requests receipts of blocks from one peer, also of blocks whose receipts exceed a message (EIP-7975). */
import { CodecError, type Hash, rlpEncodeList } from '@keelson/primitives'
import { createTurnTaker } from '@keelson/runtime'
import { rawItems } from '../raw-list.ts'
import type { EthVersion } from './eth-messages.ts'
import { receiptFromPeer } from './receipt-forms.ts'
import type { ReceiptsPage, ReceiptsQuery } from './receipts-messages.ts'

/** Bytes of receipts with their blooms, which a peer does not send. The logs of 500 M gas have 60 MiB. */
export const MAX_RECEIPTS_BYTES = 64 * 1024 * 1024
/** Receipts of one block. As many transactions take at least 1.4 G gas. */
const MAX_BLOCK_RECEIPTS = 65_536
const MAX_PAGES = 64

/**
 * Returns complete lists only, of the first blocks of `hashes`, in the form of the trie of receipts. They are fewer when the peer has
 * no more or when they exceed MAX_RECEIPTS_BYTES. Throws CodecError for responses that break the protocol.
 */
export async function downloadReceipts(
  version: EthVersion,
  hashes: readonly Hash[],
  ask: (query: ReceiptsQuery) => Promise<ReceiptsPage>,
): Promise<readonly Uint8Array[]> {
  const turn = createTurnTaker()
  const complete: Uint8Array[] = []
  let begun: Uint8Array[] = []
  let bytes = 0
  for (let page = 0; page < MAX_PAGES; page++) {
    const firstIndex = begun.length
    const { lists, lastIncomplete } = await ask({ hashes: hashes.slice(complete.length), firstIndex })
    for (const [i, list] of lists.entries()) {
      for (const item of rawItems(list, MAX_BLOCK_RECEIPTS - begun.length, 'receipts of a block')) {
        const receipt = receiptFromPeer(version, item)
        bytes += receipt.length
        if (bytes > MAX_RECEIPTS_BYTES) return firstBlocks(complete)
        begun.push(receipt)
        await turn()
      }
      if (lastIncomplete && i === lists.length - 1) break
      complete.push(rlpEncodeList(begun))
      begun = []
    }
    if (!lastIncomplete) return complete
    if (begun.length === 0 || (lists.length === 1 && begun.length === firstIndex))
      throw new CodecError('codec/receipt', 'receipts of an incomplete block without a receipt')
  }
  throw new CodecError('codec/receipt', `receipts in more than ${MAX_PAGES} responses`)
}

function firstBlocks(complete: readonly Uint8Array[]): readonly Uint8Array[] {
  if (complete.length === 0) throw new CodecError('codec/receipt', `receipts of a block with more than ${MAX_RECEIPTS_BYTES} bytes`)
  return complete
}
