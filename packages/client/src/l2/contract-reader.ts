/** Reads contracts at the latest block. */
import { type Address, parseData } from '@keelson/primitives'
import { createContractCaller } from '../l1/l1-caller.ts'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { verified } from '../rpc/verified.ts'

export interface ContractReader {
  code(address: Address): Promise<Uint8Array>
  /** Throws ClientError; for a revert, `client/rpc` with the contract's data. */
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
