/**
 * Journal and claims share a batch: after a crash a `reserved` claim was never sent, and a `sent` one resumes under its nonce.
 */

import { createTransactionJournal, type JournalEntry, type TransactionJournal } from '@keelson/client'
import type { Address } from '@keelson/primitives'
import type { KeyValueOp } from '@keelson/runtime'
import type { DurableWrite } from '../group-commit.ts'
import type { FaucetStore } from '../storage/faucet-store.ts'
import { type Claim, idOfLabel } from './claim.ts'
import type { ClaimRecords } from './claim-records.ts'

export function createPaymentJournal(
  store: Pick<FaucetStore, 'range'>,
  write: DurableWrite,
  chainId: bigint,
  account: Address,
  records: ClaimRecords,
): TransactionJournal {
  let riders: readonly KeyValueOp[] = []
  const carrying: Pick<FaucetStore, 'range' | 'batch'> = {
    range: (from, to, options) => store.range(from, to, options),
    batch(ops) {
      const all = [...ops, ...riders]
      riders = []
      return write(all)
    },
  }
  const journal = createTransactionJournal(carrying, chainId, account)
  const entries = new Map<bigint, JournalEntry>()

  const claimOf = (entry: JournalEntry | undefined): Claim | undefined => {
    const id = entry === undefined ? null : idOfLabel(entry.label)
    return id === null ? undefined : records.get(id)
  }

  async function together(write: () => Promise<void>, claim: Claim | undefined, change: Partial<Claim>): Promise<void> {
    if (claim === undefined) return write()
    await records.replace(claim, { ...claim, ...change }, (ops) => {
      riders = ops
      return write()
    })
  }

  return {
    async load() {
      const loaded = await journal.load()
      for (const entry of loaded) entries.set(entry.nonce, entry)
      return loaded
    },
    async put(entry) {
      const claim = claimOf(entry)
      const attempts = claim === undefined ? [] : [...new Set([...claim.attempts, ...entry.attempts])]
      await together(() => journal.put(entry), claim, { state: 'sent', nonce: entry.nonce, attempts })
      entries.set(entry.nonce, entry)
    },
    async remove(nonce, payment) {
      const claim = claimOf(entries.get(nonce))
      const of = claim !== undefined && claim.state === 'sent' && claim.nonce === nonce ? claim : undefined
      const state = payment === undefined ? 'unsure' : 'paid'
      await together(() => journal.remove(nonce, payment), of, { state })
      entries.delete(nonce)
    },
    loadPayments: (sinceMs, nowMs) => journal.loadPayments(sinceMs, nowMs),
  }
}
