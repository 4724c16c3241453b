/**
 * What notifications cost their subscribers: subscribing is one call, yet a block may hold tens of thousands of logs for
 * each subscription. Each client has a budget of its own beside that of its calls; one that exceeds it is disconnected.
 */
import type { Clock } from '@keelson/primitives'
import { createClientBudgets, type RpcContext } from '@keelson/runtime'
import { limitedClient } from './client-quota.ts'

/** A token of pushes: so many characters, or so many notifications, or so many filters compared with a log. */
export const PUSH_TOKEN = { characters: 64 * 1024, notifications: 100, comparisons: 10_000 }

export interface PushBudget {
  /** For the subscriptions of one caller. */
  of(context: RpcContext): PushAccount
}

export interface PushAccount {
  /** Adds to the bill. */
  send(characters: number): void
  compare(): void
  /** Pays the bill; false when the client has exceeded its budget. */
  settle(): boolean
}

const UNLIMITED: PushAccount = { send: () => undefined, compare: () => undefined, settle: () => true }
const MAX_CLIENTS = 10_000
/** Of the tokens for calls that a client may spend at once: twice as many for pushes, and as many again in three seconds. */
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
          // what is owed may exceed the burst by a slice of work, and is owed no less for it
          const cost = Math.min(owed, burst)
          owed = 0
          return budgets.take(client, rate, cost) === 0
        },
      }
    },
  }
}
