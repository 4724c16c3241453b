import { rlpEncodeList } from '@keelson/primitives'
import type { ServeTime } from '../requests/serve-time.ts'
import { HARD_RESPONSE_BYTES, MAX_RESPONSE_ITEMS, SOFT_RESPONSE_BYTES } from './eth-messages.ts'
import type { ReceiptsPage } from './receipts-messages.ts'

/**
 * Makes a response of the receipts of blocks. A block that does not fit is cut with `partial`, else it ends the response. A receipt
 * that alone exceeds a message cannot be sent.
 */
export async function collectReceipts(blocks: Iterable<Iterable<Uint8Array>>, partial: boolean, time: ServeTime): Promise<ReceiptsPage> {
  const lists: Uint8Array[] = []
  let bytes = 0
  for (const block of blocks) {
    const receipts: Uint8Array[] = []
    let fits = true
    for (const receipt of block) {
      fits = bytes + receipt.length <= HARD_RESPONSE_BYTES
      if (!fits) break
      receipts.push(receipt)
      bytes += receipt.length
      await time.turn()
    }
    if (!fits && (!partial || receipts.length === 0)) break
    lists.push(rlpEncodeList(receipts))
    if (!fits) return { lists, lastIncomplete: true }
    if (bytes >= SOFT_RESPONSE_BYTES || lists.length >= MAX_RESPONSE_ITEMS || time.isOver()) break
    await time.turn()
  }
  return { lists, lastIncomplete: false }
}
