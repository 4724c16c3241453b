import { type Address, bytesToHex, formatQuantity, parseData } from '@keelson/primitives'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { verified } from '../rpc/verified.ts'

export interface ContractCaller {
  /** Without `at`, calls at the head. Throws ClientError, with code `client/rpc` for a revert. */
  call(to: Address, data: Uint8Array, at?: number): Promise<Uint8Array>
}

export function createContractCaller(rpc: RpcClient): ContractCaller {
  return {
    async call(to, data, at) {
      const block = at === undefined ? 'latest' : formatQuantity(at)
      const answer = await rpc.call('eth_call', [{ to, data: bytesToHex(data) }, block])
      return verified(rpc.host, () => parseData(answer, 'eth_call'))
    },
  }
}
