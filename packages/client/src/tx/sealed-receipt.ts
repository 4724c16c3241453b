import { ZERO_HASH } from '@keelson/primitives'

/**
 * A node that serves subblocks answers with receipts and transactions of the block that is being built, whose hash is zero. A program
 * that acts on blocks waits until the block is sealed: for it they do not exist yet. specs: protocol/subblocks.md#json-rpc
 */
export function sealedOrNull(receiptOrTransaction: unknown): unknown {
  if (typeof receiptOrTransaction !== 'object' || receiptOrTransaction === null) return receiptOrTransaction
  return (receiptOrTransaction as { readonly blockHash?: unknown }).blockHash === ZERO_HASH ? null : receiptOrTransaction
}
