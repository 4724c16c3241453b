import type { SenderList } from '@keelson/evm'
import { type Bytes20, type Hash, recipientOf, type Transaction } from '@keelson/primitives'
import type { Prefetch, StateStore } from '@keelson/state'

/** For fewer transactions, waiting for another thread takes longer than it saves. */
const LEAST_TRANSACTIONS = 32

/** Reads the accounts that transactions name while senders are recovered, and the trie above them while transactions execute. */
export function prefetchBlock(
  state: Pick<StateStore, 'prefetch'>,
  parent: Hash,
  transactions: readonly Transaction[],
  senders: SenderList,
): Prefetch | null {
  if (transactions.length < LEAST_TRANSACTIONS) return null
  const recipients = state.prefetch(
    parent,
    transactions.map(recipientOf).filter((to) => to !== null),
  )
  const signers: Bytes20[] = []
  for (let i = 0; i < transactions.length; i++) {
    const sender = senders.at(i) ?? null
    // Execution ends here, too.
    if (sender === null) break
    signers.push(sender)
  }
  const signing = state.prefetch(parent, signers)
  return { accounts: both(recipients.accounts, signing.accounts), nodes: both(recipients.nodes, signing.nodes) }
}

async function both(first: Promise<void>, second: Promise<void>): Promise<void> {
  await first
  await second
}
