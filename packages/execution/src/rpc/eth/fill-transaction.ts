/** A transaction without the values that the caller left out gets them as in geth (internal/ethapi/transaction_args.go). */
import { hexToBytes, TX_ACCESS_LIST, TX_FEE_MARKET, TX_LEGACY, TX_SET_CODE, toAddress, type UnsignedTransaction } from '@keelson/primitives'
import type { RpcContext } from '@keelson/runtime'
import { serverError } from '../errors.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'
import { getView } from '../state-view.ts'
import type { CallRequest } from './call-request.ts'
import { feeMethods } from './fee-methods.ts'

export type GasEstimator = (request: CallRequest) => Promise<bigint>

/** The nonce follows the executable transactions of the pool. */
export async function fillTransaction(
  deps: RpcDependencies,
  request: CallRequest,
  context: RpcContext,
  estimate: GasEstimator,
): Promise<UnsignedTransaction> {
  const { chain, state, pool, chainId } = deps
  const sender = toAddress(request.from)
  const stateNonce = () => getView(chain, state, chain.label('unsafe')).account(hexToBytes(sender))?.nonce ?? 0n
  const { to, valueWei, data, gasPriceWei, accessList, authorizationList } = request
  if (to === null && data.length === 0) throw serverError('contract creation without any data provided')
  const fees = gasPriceWei === null ? await fillFees(deps, request, context) : null
  const common = {
    chainId,
    nonce: request.nonce ?? pool.nextNonce(sender) ?? stateNonce(),
    gasLimit: request.gas ?? (await estimate(request)),
    valueWei,
    data,
  }
  if (authorizationList !== null) {
    if (to === null) throw serverError('authorizationList provided for contract creation, but "to" field is missing')
    if (fees === null) throw serverError('both gasPrice and authorizationList specified')
    return { ...common, ...fees, type: TX_SET_CODE, to, accessList: accessList ?? [], authorizationList }
  }
  if (fees !== null) return { ...common, ...fees, type: TX_FEE_MARKET, to, accessList: accessList ?? [] }
  if (gasPriceWei === null || gasPriceWei === 0n) throw serverError('gasPrice must be non-zero after london fork')
  if (accessList === null) return { ...common, type: TX_LEGACY, to, gasPriceWei }
  return { ...common, type: TX_ACCESS_LIST, to, gasPriceWei, accessList }
}

async function fillFees(deps: RpcDependencies, request: CallRequest, context: RpcContext) {
  const fees = feeMethods(deps)
  const ask = async (method: string) => BigInt(String(await fees[method]?.([], context)))
  const maxPriorityFeePerGasWei = request.maxPriorityFeePerGasWei ?? (await ask('eth_maxPriorityFeePerGas'))
  const maxFeePerGasWei = request.maxFeePerGasWei ?? 2n * (await ask('eth_baseFee')) + maxPriorityFeePerGasWei
  if (maxFeePerGasWei === 0n) throw serverError('maxFeePerGas must be non-zero')
  if (maxFeePerGasWei < maxPriorityFeePerGasWei)
    throw serverError(`maxFeePerGas (${maxFeePerGasWei}) < maxPriorityFeePerGas (${maxPriorityFeePerGasWei})`)
  return { maxFeePerGasWei, maxPriorityFeePerGasWei }
}
