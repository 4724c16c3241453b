import { ethParameters } from '@keelson/chainspec'
import { maxFeePerGasWei } from '@keelson/primitives'
import { intrinsicGas } from '../tx/intrinsic-gas.ts'
import { type RejectedTx, rejected } from '../tx/rejection.ts'
import { causeOf, lacksGas } from '../wasm/halt-text.ts'
import { type SimulatedCall, type SimulationContext, type SimulationResult, simulateCall } from './simulate-call.ts'

export type GasEstimate =
  | { readonly kind: 'estimated'; readonly gas: bigint }
  /** Fails even with the highest gas limit. */
  | { readonly kind: 'reverted'; readonly output: Uint8Array }
  /** `cause` is null if more gas might help. */
  | { readonly kind: 'halted'; readonly cause: string | null }
  | RejectedTx

const CALL_STIPEND = 2300n
const CALL_SHARE = { of: 64n, given: 63n }
const TOLERANCE_DIVISOR = 64n

export function estimateGas(context: SimulationContext, call: SimulatedCall): GasEstimate {
  const cap = highestLimit(context, call)
  if (typeof cap !== 'bigint') return cap
  const attempt = (gasLimit: bigint) => simulateCall(context, { ...call, tx: { ...call.tx, gasLimit } })
  const first = attempt(cap)
  if (first.kind === 'rejected') return first
  if (first.status === 'revert') return { kind: 'reverted', output: first.output }
  if (first.status === 'halt') return { kind: 'halted', cause: haltCause(first.error ?? 'execution failed') }

  let high = cap
  let low = first.gasUsed - 1n
  const likely = ((first.gasSpent + CALL_STIPEND) * CALL_SHARE.of) / CALL_SHARE.given
  for (const guess of [first.gasSpent, likely]) {
    if (guess >= high || guess <= low) continue
    if (!succeeded(attempt(guess))) low = guess
    else {
      high = guess
      break
    }
  }
  while (low + 1n < high && high - low > high / TOLERANCE_DIVISOR) {
    const middle = (low + high) / 2n
    const guess = middle > low * 2n ? low * 2n : middle
    if (succeeded(attempt(guess))) high = guess
    else low = guess
  }
  return { kind: 'estimated', gas: high }
}

function haltCause(error: string): string | null {
  return lacksGas(error) ? null : causeOf(error)
}

function succeeded(result: SimulationResult): boolean {
  return result.kind === 'executed' && result.status === 'success'
}

function highestLimit(context: SimulationContext, { from, tx }: SimulatedCall): bigint | RejectedTx {
  const { rules } = context
  let cap = rules.maxTransactionGas !== null && rules.maxTransactionGas < tx.gasLimit ? rules.maxTransactionGas : tx.gasLimit
  const price = maxFeePerGasWei(tx)
  if (price > 0n) {
    const override = context.overrides?.findLast((entry) => entry.balanceWei !== undefined && sameAddress(entry.address, from))
    const balanceWei = override?.balanceWei ?? context.view.account(from)?.balanceWei ?? 0n
    if (balanceWei < tx.valueWei)
      return rejected('insufficient-funds', `balance ${balanceWei} wei does not cover the value ${tx.valueWei} wei`)
    const affordable = (balanceWei - tx.valueWei) / price
    if (affordable < cap) cap = affordable
  }
  const { gas, floor } = intrinsicGas(tx, ethParameters(rules.ethFork))
  const least = gas > floor ? gas : floor
  return cap < least ? rejected('intrinsic-gas', `gas limit ${cap} is below ${least}, the cost before execution`) : cap
}

function sameAddress(a: Uint8Array, b: Uint8Array): boolean {
  return a.every((byte, i) => byte === b[i])
}
