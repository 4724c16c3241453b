import type { Address, Hash } from '@keelson/primitives'
import { logAddressKey, logTopicKey } from './keys.ts'
import type { StoredReceipt } from './records.ts'

export function logPostings(number: number, receipts: readonly StoredReceipt[]): Uint8Array[] {
  const topicsByAddress = new Map<Address, Set<Hash>>()
  for (const { receipt } of receipts) {
    for (const { address, topics } of receipt.logs) {
      let known = topicsByAddress.get(address)
      if (known === undefined) {
        known = new Set()
        topicsByAddress.set(address, known)
      }
      if (topics[0] !== undefined) known.add(topics[0])
    }
  }
  const keys: Uint8Array[] = []
  for (const [address, topics] of topicsByAddress) {
    keys.push(logAddressKey(address, number))
    for (const topic of topics) keys.push(logTopicKey(address, topic, number))
  }
  return keys
}
