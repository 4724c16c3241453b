import { formatData, formatQuantity, parseJsonObject, parseOptional, parseQuantity } from '@keelson/primitives'
import { jsonValue, type RpcHandler, type RpcMethods } from '@keelson/runtime'
import { signedToJson } from '../block-json.ts'
import { rejectionError, serverError } from '../errors.ts'
import { argument } from '../params.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'
import { parseCallRequest } from './call-request.ts'
import { fillTransaction } from './fill-transaction.ts'
import { simulatedTransaction } from './simulated-transaction.ts'

/** geth shows the fees of every type of transaction. */
const NO_FEES = { maxFeePerGas: null, maxPriorityFeePerGas: null }

/** `estimateGas` is the public method, whose time is limited and charged. */
export function fillMethods(deps: RpcDependencies, estimateGas: RpcHandler): RpcMethods {
  return {
    async eth_fillTransaction(params, context) {
      const request = argument(params, 0, parseCallRequest)
      const chainId = argument(params, 0, parseChainId)
      if (chainId !== null && chainId !== deps.chainId)
        throw serverError(`chainId does not match node's (have=${chainId}, want=${deps.chainId})`)
      if (request.blobVersionedHashes !== null) throw rejectionError({ reason: 'type-not-supported', detail: 'this chain has no blobs' })
      const estimate = async () => BigInt(String(jsonValue(await estimateGas([params[0]], context))))
      const filled = simulatedTransaction(await fillTransaction(deps, request, context, estimate))
      const gasPrice = 'gasPriceWei' in filled ? formatQuantity(filled.gasPriceWei) : null
      return { raw: formatData(filled.raw), tx: { ...NO_FEES, ...signedToJson(filled), gasPrice, hash: filled.hash } }
    },
  }
}

/** Throws CodecError. */
function parseChainId(value: unknown): bigint | null {
  return parseOptional(parseJsonObject(value, 'transaction').chainId, 'chainId', parseQuantity)
}
