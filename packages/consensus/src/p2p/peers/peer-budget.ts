/** What each peer may cost this node over time. Spent after the fact, so that what turns out well is free. */
import type { Clock } from '@keelson/primitives'
import { createTokenBucket, type TokenBucket, type TokenBucketOptions } from '@keelson/runtime'

export interface PeerBudget {
  isSpent(peer: string): boolean
  spend(peer: string): void
}

const MAX_PEERS = 1_024

export function createPeerBudget(options: TokenBucketOptions, clock: Clock): PeerBudget {
  /** `next` is the token that is spent next, taken out already. */
  const accounts = new Map<string, { readonly bucket: TokenBucket; next: boolean }>()

  function accountOf(peer: string) {
    const account = accounts.get(peer) ?? { bucket: createTokenBucket(options, clock), next: false }
    accounts.delete(peer)
    accounts.set(peer, account)
    if (accounts.size > MAX_PEERS) accounts.delete(accounts.keys().next().value as string)
    account.next ||= account.bucket.tryTake()
    return account
  }

  return {
    isSpent: (peer) => !accountOf(peer).next,
    spend(peer) {
      accountOf(peer).next = false
    },
  }
}
