/** Contracts of an execution client after its newest block: code and calls. */
import { type Address, parseData } from '@keelson/primitives'
import { createContractCaller } from '../l1/l1-caller.ts'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { verified } from '../rpc/verified.ts'

export interface ContractReader {
  /** Empty where there is none. Throws ClientError. */
  code(address: Address): Promise<Uint8Array>
  /** Throws ClientError; a revert is one of code `client/rpc`, with what the contract said in `data`. */
  call(to: Address, data: Uint8Array): Promise<Uint8Array>
}

export function createContractReader(rpc: RpcClient): ContractReader {
  const caller = createContractCaller(rpc)
  return {
    async code(address) {
      const answer = await rpc.call('eth_getCode', [address, 'latest'])
      return verified(rpc.host, () => parseData(answer, 'eth_getCode'))
    },
    call: (to, data) => caller.call(to, data),
  }
}
