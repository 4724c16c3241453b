import { useConfig } from '../../data/config.ts'
import type { ContractPlace } from './contract-commands.ts'

export function useContractPlace(address: string): ContractPlace {
  const { l2 } = useConfig()
  return { address, chainId: l2.chainId, rpcUrl: l2.publicRpcUrl }
}
