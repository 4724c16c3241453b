import type { EvmEngine } from '@keelson/evm'
import { findProjectRoot, openContractFiles } from '../contract-files.ts'
import { parametersToJson } from '../parameters-json.ts'
import { buildDevnetGenesis, type DevnetGenesis, type FundedAccounts } from './build-devnet-genesis.ts'
import { DEFAULT_DEVNET_PARAMETERS, type DevnetParameters } from './devnet-parameters.ts'
import { loadPrebuiltDevnet } from './prebuilt-devnet.ts'

export interface OpenDevnetGenesisOptions {
  readonly genesisTimeSec: number
  readonly changes?: Partial<DevnetParameters>
  /** Null for the default accounts. */
  readonly funded?: FundedAccounts | null
  readonly engine: () => EvmEngine
  readonly root?: string
}

export async function openDevnetGenesis({
  genesisTimeSec,
  changes = {},
  funded = null,
  engine,
  root = findProjectRoot(),
}: OpenDevnetGenesisOptions): Promise<DevnetGenesis> {
  const parameters: DevnetParameters = { ...DEFAULT_DEVNET_PARAMETERS, ...changes }
  const text = (of: DevnetParameters) => JSON.stringify(parametersToJson(of))
  if (funded === null && text(parameters) === text(DEFAULT_DEVNET_PARAMETERS)) return loadPrebuiltDevnet(genesisTimeSec, root)
  return buildDevnetGenesis({
    engine: engine(),
    contracts: openContractFiles(root),
    parameters,
    genesisTimeSec,
    ...(funded === null ? {} : { funded }),
  })
}
