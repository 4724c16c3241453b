/** What each peer may cost this node over time. */
import type { Clock } from '@keelson/primitives'
import { createTokenBucket, type TokenBucket, type TokenBucketOptions } from '@keelson/runtime'

export interface PeerBudget {
  isSpent(peer: string): boolean
  /** Charges for work that is already done. Only for work that runs to its end at once: asynchronous work reserves instead. */
  spend(peer: string): void
  /**
   * Charges before the work begins, so that work under way counts against the budget. Null when the budget is spent.
   * What turns out well is refunded.
   */
  reserve(peer: string): Reservation | null
}

export interface Reservation {
  refund(): void
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
    reserve(peer) {
      const account = accountOf(peer)
      if (!account.next) return null
      account.next = false
      return { refund: () => account.bucket.putBack() }
    },
  }
}
