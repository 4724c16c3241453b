import { createAccessList, estimateGas, type SimulationResult, simulateCall } from '@keelson/evm'
import { formatData, formatQuantity } from '@keelson/primitives'
import { accessListToJson } from '../block-json.ts'
import { rejectionError, revertError, rpcError, serverError } from '../errors.ts'
import { createCallDeadline } from '../limits/call-deadline.ts'
import type { ReadMethods } from '../limits/read-lanes.ts'
import type { CallDependencies } from '../rpc-dependencies.ts'
import { prepareCall } from './call-context.ts'
import type { CallRequest } from './call-request.ts'

export function callMethods(deps: CallDependencies): Pick<ReadMethods, 'eth_call' | 'eth_estimateGas' | 'eth_createAccessList'> {
  const deadline = (signal: AbortSignal) => createCallDeadline(deps.clock, signal)
  return {
    async eth_call(params, { signal }) {
      const { context, gasLimit, call } = prepareCall(deps, params)
      const result = simulateCall({ ...context, tracer: deadline(signal) }, call(gasLimit))
      return formatData(outputOf(result))
    },
    async eth_estimateGas(params, { signal }) {
      const { request, context, balanceWei, cap, call } = prepareCall(deps, params)
      // Like geth, report the highest affordable gas if the call fails with it.
      const { maxTransactionGas } = context.rules
      const most = maxTransactionGas === null ? cap : min(cap, maxTransactionGas)
      const allowance = affordableGas(request, context.header.gasLimit, balanceWei, most)
      const estimate = estimateGas({ ...context, tracer: deadline(signal) }, call(allowance))
      if (estimate.kind === 'estimated') return formatQuantity(estimate.gas)
      if (estimate.kind === 'reverted') throw revertError(estimate.output)
      if (estimate.kind === 'halted')
        throw estimate.cause === null ? rpcError('gasAllowance', ` (${allowance})`) : serverError(estimate.cause)
      // All rounds share the time limit of one call.
      if (estimate.reason === 'intrinsic-gas' || estimate.reason === 'floor-data-gas') throw rpcError('gasAllowance', ` (${allowance})`)
      throw rejectionError({ reason: estimate.reason, detail: estimate.message })
    },
    async eth_createAccessList(params, { signal }) {
      const { request, context, cap, callWithList } = prepareCall(deps, params)
      const gas = min(request.gas ?? context.header.gasLimit, cap)
      const result = createAccessList({ ...context, tracer: deadline(signal) }, callWithList(gas))
      if (result.kind === 'rejected') throw rejectionError({ reason: result.reason, detail: result.message })
      return {
        accessList: accessListToJson(result.accessList),
        gasUsed: formatQuantity(result.gasUsed),
        ...(result.status === 'success'
          ? {}
          : { error: result.status === 'revert' ? 'execution reverted' : (result.error ?? 'execution failed') }),
      }
    },
  }
}

function affordableGas(request: CallRequest, blockGasLimit: bigint, balanceWei: bigint, cap: bigint): bigint {
  const most = min(request.gas !== null && request.gas >= 21_000n ? request.gas : blockGasLimit, cap)
  const priceWei = request.gasPriceWei ?? request.maxFeePerGasWei ?? 0n
  if (priceWei === 0n) return most
  if (request.valueWei >= balanceWei) throw rpcError('fundsForTransfer')
  return min(most, (balanceWei - request.valueWei) / priceWei)
}

function outputOf(result: SimulationResult): Uint8Array {
  if (result.kind === 'rejected') throw rejectionError({ reason: result.reason, detail: result.message })
  if (result.status === 'success') return result.output
  if (result.status === 'revert') throw revertError(result.output)
  throw serverError(result.error ?? 'execution failed')
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
