/** eth_call, eth_estimateGas and eth_createAccessList: calls against some block's state that leave no trace. */
import { estimateGas, type SimulationContext, type SimulationResult, simulateCall } from '@keelson/evm'
import { type Block, bytesToHex, formatData, formatQuantity } from '@keelson/primitives'
import { RPC_ERROR_NUMBERS, RpcError, type RpcMethods } from '@keelson/runtime'
import type { SealedHeader } from '../chain/chain-store.ts'
import { accessListToJson } from './block-json.ts'
import { type CallRequest, parseCallRequest, parseStateOverrides, simulatedCall } from './call-request.ts'
import { rejectionError, revertError, serverError } from './errors.ts'
import { getView } from './eth-state.ts'
import { argument, getBlock, LATEST, optionalArgument, parseBlockSelector } from './params.ts'
import type { RpcDependencies } from './rpc-dependencies.ts'

export function callMethods(deps: RpcDependencies): RpcMethods {
  const { chain, state, options } = deps

  const prepare = (params: readonly unknown[]) => {
    const request = argument(params, 0, parseCallRequest)
    const block = getBlock(chain, optionalArgument(params, 1, LATEST, parseBlockSelector))
    const overrides = optionalArgument(params, 2, [], parseStateOverrides)
    const view = getView(chain, state, block)
    const rules = deps.rules.rulesAt(block.header)
    const context: SimulationContext = {
      engine: deps.evm,
      view,
      header: block.header,
      rules,
      chainId: deps.chainId,
      crypto: deps.crypto,
      blockHash: (number) => chain.ancestorHash(block, number),
      overrides,
    }
    const override = overrides.find((o) => bytesToHex(o.address) === bytesToHex(request.from))
    const account = view.account(request.from)
    const balanceWei = override?.balanceWei ?? account?.balanceWei ?? 0n
    const nonce = request.nonce ?? override?.nonce ?? account?.nonce ?? 0n
    const cap = rules.maxTransactionGas === null ? options.callGasCap : min(options.callGasCap, rules.maxTransactionGas)
    const call = (gas: bigint) => simulatedCall(request, gas, nonce, deps.chainId, rules)
    return { request, block, context, balanceWei, cap, call }
  }

  return {
    async eth_call(params) {
      const { request, context, cap, call } = prepare(params)
      const result = await simulateCall(context, call(min(request.gas ?? cap, cap)))
      return formatData(outputOf(result))
    },
    async eth_estimateGas(params) {
      const { request, block, context, balanceWei, cap, call } = prepare(params)
      const allowance = affordableGas(request, block, balanceWei, cap)
      const estimate = await estimateGas(context, call(allowance))
      if (estimate.kind === 'estimated') return formatQuantity(estimate.gas)
      if (estimate.kind === 'failed') {
        if (estimate.status === 'revert') throw revertError(estimate.output)
        throw serverError(`gas required exceeds allowance (${allowance})`)
      }
      throw rejectionError({ reason: estimate.reason, detail: estimate.message })
    },
    async eth_createAccessList(params) {
      const { request, block, context, cap, call } = prepare(params)
      const result = await simulateCall(context, call(min(request.gas ?? block.header.gasLimit, cap)))
      if (result.kind === 'rejected') throw rejectionError({ reason: result.reason, detail: result.message })
      return {
        accessList: accessListToJson(result.accessed),
        gasUsed: formatQuantity(result.gasUsed),
        ...(result.status === 'success'
          ? {}
          : { error: result.status === 'revert' ? 'execution reverted' : (result.error ?? 'execution failed') }),
      }
    },
  }
}

/** Gas that the block, the node's own cap and the sender's money leave for an estimate. */
function affordableGas(request: CallRequest, block: SealedHeader | Block, balanceWei: bigint, cap: bigint): bigint {
  const most = min(request.gas !== null && request.gas >= 21_000n ? request.gas : block.header.gasLimit, cap)
  const priceWei = request.gasPriceWei ?? request.maxFeePerGasWei ?? 0n
  if (priceWei === 0n) return most
  if (request.valueWei > balanceWei) throw new RpcError(RPC_ERROR_NUMBERS.server, 'insufficient funds for transfer')
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
