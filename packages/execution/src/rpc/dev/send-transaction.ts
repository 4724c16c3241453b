import { type Address, bytesToHex, encodeSignedTransaction, formatData, signingDigest, toAddress } from '@keelson/primitives'
import { invalidParams, type RpcContext, type RpcMethods } from '@keelson/runtime'
import { createExclusive } from '../../exclusive.ts'
import { callMethods } from '../eth/call-methods.ts'
import { type CallRequest, parseCallRequest } from '../eth/call-request.ts'
import { fillTransaction } from '../eth/fill-transaction.ts'
import { submitMethods } from '../eth/submit-methods.ts'
import { argument } from '../params.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'
import { type UnlockedAccounts, unknownAccount } from './unlocked-accounts.ts'

/** One at a time, so that two transactions never get the same nonce. */
export function sendMethods(deps: RpcDependencies, unlocked: UnlockedAccounts): RpcMethods {
  const sending = createExclusive()
  const submit = submitMethods(deps)
  const send = async (request: CallRequest, sender: Address, context: RpcContext) => {
    const tx = await fillTransaction(deps, request, context, (asked) => estimateGas(deps, asked, context))
    const signature = unlocked.sign(sender, signingDigest(tx))
    if (signature === null) throw unknownAccount()
    return submit.eth_sendRawTransaction?.([formatData(encodeSignedTransaction(tx, signature).raw)], context)
  }
  return {
    eth_sendTransaction(params, context) {
      const request = argument(params, 0, parseCallRequest)
      const sender = toAddress(request.from)
      if (!unlocked.addresses.includes(sender)) throw unknownAccount()
      if (request.authorizationList !== null || request.blobVersionedHashes !== null)
        throw invalidParams('invalid argument 0: authorizations and blobs have to be signed by the caller: use eth_sendRawTransaction')
      return sending.run(() => send(request, sender, context))
    },
  }
}

/** A fifth more, because the state may change before the block. */
async function estimateGas(deps: RpcDependencies, { from, to, valueWei, data }: CallRequest, context: RpcContext): Promise<bigint> {
  const call = {
    from: bytesToHex(from),
    ...(to === null ? {} : { to: bytesToHex(to) }),
    value: `0x${valueWei.toString(16)}`,
    input: bytesToHex(data),
  }
  return (BigInt(String(await callMethods(deps).eth_estimateGas([call], context))) * 6n) / 5n
}
