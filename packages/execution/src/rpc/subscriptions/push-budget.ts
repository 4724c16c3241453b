/** One subscription may cause tens of thousands of notifications per block, so clients beyond their budget are disconnected. */
import type { Clock } from '@keelson/primitives'
import { createClientBudgets, type RpcContext } from '@keelson/runtime'
import { limitedClient } from '../limits/client-quota.ts'

const PUSH_TOKEN = { characters: 64 * 1024, notifications: 100, comparisons: 10_000 }

export interface PushBudget {
  of(context: RpcContext): PushAccount
}

export interface PushAccount {
  send(characters: number): void
  compare(): void
  /** Returns false when the client has exceeded its budget. */
  settle(): boolean
}

const UNLIMITED: PushAccount = { send: () => undefined, compare: () => undefined, settle: () => true }
const MAX_CLIENTS = 10_000
const BURSTS = 2
const REFILL_SEC = 3

export function createPushBudget(clock: Clock): PushBudget {
  const budgets = createClientBudgets(clock, MAX_CLIENTS)
  return {
    of(context) {
      const client = limitedClient(context)
      if (client === null) return UNLIMITED
      const burst = BURSTS * (context.caller?.burst ?? 0)
      const rate = { burst, perSec: burst / REFILL_SEC }
      let owed = 0
      return {
        send(characters) {
          owed += Math.max(characters / PUSH_TOKEN.characters, 1 / PUSH_TOKEN.notifications)
        },
        compare() {
          owed += 1 / PUSH_TOKEN.comparisons
        },
        settle() {
          // Work beyond the burst is not charged.
          const cost = Math.min(owed, burst)
          owed = 0
          return budgets.take(client, rate, cost) === 0
        },
      }
    },
  }
}
