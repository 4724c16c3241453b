import assert from 'node:assert/strict'
import type { WalletPolicy } from '../policy/policy.ts'
import type { ExecutionOutcome } from './executor.ts'
import { type TradingWorld, WALLET } from './trading-world.test-support.ts'

export function done(outcome: ExecutionOutcome) {
  assert.equal(outcome.kind, 'done', JSON.stringify(outcome))
  return (outcome as Extract<ExecutionOutcome, { kind: 'done' }>).result
}

export function codeOf(outcome: ExecutionOutcome): string {
  if (outcome.kind === 'refused') return outcome.refusal.rule ?? outcome.refusal.code
  return outcome.kind === 'invalid' ? `invalid ${outcome.field}` : outcome.kind
}

export function changePolicy(world: TradingWorld, changes: Partial<WalletPolicy>): void {
  world.policies.set(WALLET.address, { ...(world.policies.get(WALLET.address) as WalletPolicy), ...changes })
}

export async function withTime<T>(world: TradingWorld, work: Promise<T>, each: () => Promise<void> = async () => undefined): Promise<T> {
  let over = false
  const mark = () => {
    over = true
  }
  work.then(mark, mark)
  for (let i = 0; i < 1_000 && !over; i++) {
    await each()
    await world.clock.advance(250)
  }
  return work
}
