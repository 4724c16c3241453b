import { encodePostExecPayload, type PostExecTransaction, postExecTransaction } from '@keelson/primitives'

/** A valid last transaction of a block since Lagoon, if transaction `index` is a signed one that used more gas. */
export function refundOf(blockNumber: number, index: number): PostExecTransaction {
  return postExecTransaction(encodePostExecPayload({ version: 1, blockNumber: BigInt(blockNumber), refunds: [{ index, gas: 2_000n }] }))
}
