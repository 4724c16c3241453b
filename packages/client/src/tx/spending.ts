import type { Clock } from '@keelson/primitives'
import type { Payment, TransactionJournal } from './journal.ts'

export interface Spending {
  load(): Promise<void>
  add(payment: Payment): void
  lastHourWei(): bigint
}

const HOUR_MS = 3_600_000

export function createSpending(journal: Pick<TransactionJournal, 'loadPayments'>, clock: Clock): Spending {
  let payments: Payment[] = []
  return {
    async load() {
      const nowMs = clock.nowMs()
      payments = [...(await journal.loadPayments(nowMs - HOUR_MS, nowMs))]
    },
    add: (payment) => {
      payments.push(payment)
    },
    lastHourWei() {
      const nowMs = clock.nowMs()
      payments = payments
        .map((payment) => (payment.atMs > nowMs ? { ...payment, atMs: nowMs } : payment))
        .filter(({ atMs }) => atMs >= nowMs - HOUR_MS)
      return payments.reduce((sum, { feeWei }) => sum + feeWei, 0n)
    },
  }
}
