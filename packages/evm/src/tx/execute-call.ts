import type { Authorization, Bytes20 } from '@keelson/primitives'
import type { CallResult } from '../ports.ts'
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
  session.setNonce(call.from, session.nonce(call.from) + 1n)
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

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
