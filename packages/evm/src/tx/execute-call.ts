import { type Authorization, type Bytes20, EMPTY_BYTES, MAX_NONCE } from '@keelson/primitives'
import type { CallResult } from '../ports.ts'
import { NONCE_TEXT } from '../wasm/halt-text.ts'
import { applyAuthorizations } from './authorizations.ts'
import type { ExecutionContext } from './execution-context.ts'
import type { IntrinsicGas } from './intrinsic-gas.ts'

export interface OutermostCall {
  readonly from: Bytes20
  readonly to: Bytes20 | null
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly gasLimit: bigint
  readonly authorizations: readonly Authorization[]
}

export interface OutermostResult extends CallResult {
  readonly gasUsed: bigint
}

export function executeCall(context: ExecutionContext, call: OutermostCall, intrinsic: IntrinsicGas): OutermostResult {
  const { session, eth } = context
  const nonce = session.nonce(call.from)
  // Only calls that are simulated and deposits get here with the last nonce; it overflows in geth too (core/state_transition.go).
  if (nonce === MAX_NONCE && call.to === null) return refusedCreation(call, intrinsic)
  session.setNonce(call.from, BigInt.asUintN(64, nonce + 1n))
  const authorizationRefund = applyAuthorizations(call.authorizations, session, context.crypto, context.chainId)
  const result = session.call({
    kind: call.to === null ? 'create' : 'call',
    from: call.from,
    to: call.to,
    valueWei: call.valueWei,
    data: call.data,
    gas: call.gasLimit - intrinsic.gas,
  })
  const spent = call.gasLimit - result.gasLeft
  const refund = min(result.gasRefund + authorizationRefund, spent / eth.refundQuotient)
  const net = spent - refund
  return { ...result, gasUsed: net < intrinsic.floor ? intrinsic.floor : net }
}

/** EIP-2681; core/vm/evm.go, createFramePreCheck. */
function refusedCreation({ gasLimit }: OutermostCall, intrinsic: IntrinsicGas): OutermostResult {
  const gasUsed = intrinsic.gas < intrinsic.floor ? intrinsic.floor : intrinsic.gas
  const gasLeft = gasLimit - intrinsic.gas
  return { status: 'halt', gasLeft, gasUsed, output: EMPTY_BYTES, created: null, gasRefund: 0n, error: NONCE_TEXT }
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
