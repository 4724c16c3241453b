import { formatData, keccak256, parseData } from '@keelson/primitives'
import type { RpcMethods } from '@keelson/runtime'
import { argument } from '../params.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'

export function netMethods(deps: Pick<RpcDependencies, 'chainId' | 'version'>): RpcMethods {
  const client = `Keelson/v${deps.version}/${process.platform}-${process.arch}/node${process.versions.node}`
  return {
    net_version: () => deps.chainId.toString(),
    web3_clientVersion: () => client,
    web3_sha3: (params) => formatData(keccak256(argument(params, 0, (value) => parseData(value, 'data')))),
  }
}
