/** Sends new heads, then removed logs, then new logs; yields the thread in between. */
import { createTurnTaker } from '@keelson/runtime'
import type { ChainReader, SealedHeader } from '../../chain/chain-reader.ts'
import type { ChainMove } from '../../chain/chain-store.ts'
import { createExclusive } from '../../exclusive.ts'
import { sealedHeaderToJson } from '../block-json.ts'
import { type LogCriteria, logsIn, placedLogToJson } from '../eth/log-query.ts'
import { createLogIndex } from './filter-index.ts'

export interface MoveSubscription {
  /** Returns false when the subscription has ended. */
  push(text: string): boolean
  compared(): void
  /** Charges the client. Returns false when the subscription has ended. */
  settle(): boolean
}

export interface MoveAnnouncer {
  addHeads(subscription: MoveSubscription): void
  addLogs(subscription: MoveSubscription, criteria: LogCriteria): void
  remove(subscription: MoveSubscription): void
  announce(move: ChainMove): void
  idle(): Promise<void>
}

const SETTLE_EVERY = 256
const CLOCK_EVERY = 16

export function createMoveAnnouncer(chain: ChainReader): MoveAnnouncer {
  const heads = new Set<MoveSubscription>()
  const logs = new Map<MoveSubscription, LogCriteria>()
  const index = createLogIndex<MoveSubscription>()
  const bornAt = new WeakMap<MoveSubscription, number>()
  const moves = createExclusive()
  let moveCount = 0

  const remove = (subscription: MoveSubscription): void => {
    heads.delete(subscription)
    const criteria = logs.get(subscription)
    if (criteria === undefined) return
    logs.delete(subscription)
    index.remove(subscription, criteria)
  }

  const send = async ({ added, removed }: ChainMove, move: number): Promise<void> => {
    const takeTurn = createTurnTaker({ every: CLOCK_EVERY })
    const touched = new Set<MoveSubscription>()
    let steps = 0
    const settle = () => {
      for (const subscription of touched) if (!subscription.settle()) remove(subscription)
      touched.clear()
    }
    const step = async (): Promise<void> => {
      if (++steps % SETTLE_EVERY === 0) settle()
      const turn = takeTurn()
      if (turn !== null) await turn
    }
    const isTold = (subscription: MoveSubscription) => (bornAt.get(subscription) as number) < move
    const push = async (subscription: MoveSubscription, text: string): Promise<void> => {
      touched.add(subscription)
      if (!subscription.push(text)) remove(subscription)
      await step()
    }
    const pushLogs = async (block: SealedHeader, isRemoved: boolean): Promise<void> => {
      if (logs.size === 0) return
      for (const placed of logsIn(chain, block)) {
        const matching = index.matching(placed.log, (subscription) => {
          touched.add(subscription)
          subscription.compared()
        })
        await step()
        if (matching.length === 0) continue
        const text = JSON.stringify(placedLogToJson(chain, block, placed, isRemoved))
        for (const subscription of matching) if (logs.has(subscription) && isTold(subscription)) await push(subscription, text)
      }
    }
    for (const block of heads.size === 0 ? [] : added) {
      const text = JSON.stringify(sealedHeaderToJson(block))
      for (const subscription of [...heads]) if (heads.has(subscription) && isTold(subscription)) await push(subscription, text)
    }
    for (const block of removed) await pushLogs(block, true)
    for (const block of added) await pushLogs(block, false)
    settle()
  }

  return {
    addHeads(subscription) {
      bornAt.set(subscription, moveCount)
      heads.add(subscription)
    },
    addLogs(subscription, criteria) {
      bornAt.set(subscription, moveCount)
      logs.set(subscription, criteria)
      index.add(subscription, criteria)
    },
    remove,
    announce(move) {
      const number = ++moveCount
      if (heads.size + logs.size === 0) return
      void moves.run(() => send(move, number))
    },
    idle: moves.idle,
  }
}
