import type { RollupConfig } from '@keelson/chainspec'
import { createContractCaller, type RpcClient, RpcResponseError } from '@keelson/client'
import { decodeAddress, encodeCall, SYSTEM_CONFIG_GETTERS } from '@keelson/contracts'
import type { Address, L1BlockRef, SystemConfig } from '@keelson/primitives'

export interface StartConfig {
  readonly systemConfig: SystemConfig
  readonly warning: string | null
}

/** Takes the batcher from `given`, else from L1, else from rollup.json. Throws ClientError. */
export async function systemConfigAt(config: RollupConfig, l1: RpcClient, at: L1BlockRef, given: Address | null): Promise<StartConfig> {
  const { systemConfig } = config.genesis
  if (given !== null) return { systemConfig: { ...systemConfig, batcherAddress: given }, warning: null }
  if (at.number <= config.genesis.l1.number) return { systemConfig, warning: null }
  const caller = createContractCaller(l1)
  const call = encodeCall(SYSTEM_CONFIG_GETTERS.batcherHash)
  for (const block of [at.number, undefined]) {
    try {
      const batcherAddress = decodeAddress(await caller.call(config.systemConfigContract, call, block))
      const warning = `the state of L1 block ${at.number} is gone: transactions are judged by the batcher of today, ${batcherAddress}; --batcher names another`
      return { systemConfig: { ...systemConfig, batcherAddress }, warning: block === undefined ? warning : null }
    } catch (error) {
      if (!(error instanceof RpcResponseError)) throw error
    }
  }
  return {
    systemConfig,
    warning: `L1 does not say who the batcher is: taken from rollup.json, ${systemConfig.batcherAddress}; --batcher names another`,
  }
}
