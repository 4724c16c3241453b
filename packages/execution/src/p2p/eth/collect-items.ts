import type { ServeTime } from '../requests/serve-time.ts'
import type { ResponseItems } from './block-server.ts'
import { HARD_RESPONSE_BYTES, MAX_RESPONSE_ITEMS, SOFT_RESPONSE_BYTES } from './eth-messages.ts'

/** Records read for one response, found or not. */
const MAX_LOOKUPS = 1_024

/** The items of a response, fewer when a limit is reached. */
export async function collectItems(items: ResponseItems, time: ServeTime): Promise<readonly Uint8Array[]> {
  const out: Uint8Array[] = []
  let bytes = 0
  let lookups = 0
  for (const item of items) {
    lookups++
    if (item !== null) {
      if (bytes + item.length > HARD_RESPONSE_BYTES) break
      out.push(item)
      bytes += item.length
    }
    if (bytes >= SOFT_RESPONSE_BYTES || out.length >= MAX_RESPONSE_ITEMS || lookups >= MAX_LOOKUPS || time.isOver()) break
    await time.turn()
  }
  return out
}
