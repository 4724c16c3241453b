export { buildL2Genesis, genesisRules } from './build-l2-genesis.ts'
export { type ContractFiles, findProjectRoot, openContractFiles } from './contract-files.ts'
export { anvilGenesisArguments } from './devnet/anvil-state.ts'
export { DEV_ACCOUNTS, DEV_ROLES, DEV_SEQUENCER_NODE_KEY } from './devnet/dev-accounts.ts'
export { l1GenesisHash } from './devnet/devnet-config.ts'
export { DEFAULT_DEVNET_PARAMETERS } from './devnet/devnet-parameters.ts'
export { DEVNET_FILES, loadPrebuiltDevnet } from './devnet/prebuilt-devnet.ts'
export { openGenesisSession } from './genesis-session.ts'
export { rollupGethConfig } from './geth-config.ts'
export { deployL1Contracts, type L1Addresses } from './l1-deployment.ts'
export { LIQUIDITY_WEI, type PairAddresses, placeLiquidity } from './liquidity.ts'
export { l2GenesisHash, l2GenesisHeader, networkRollupConfig } from './network-config.ts'
export type { NetworkParameters, NetworkRoles } from './network-parameters.ts'
export { parametersToJson } from './parameters-json.ts'
export {
  encodeStakingParameters,
  STAKING_PARAMETERS,
  type StakingParameters,
  stakingPeriodMistakes,
  withBlockTime,
} from './staking-parameters.ts'
