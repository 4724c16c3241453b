import { type BlockRules, createForkSchedule, forksAtGenesis, INITIAL_BASE_FEE_WEI } from '@keelson/chainspec'
import { BEACON_ROOTS_DEPLOYER } from '@keelson/contracts'
import { type EvmEngine, encodeExtraData } from '@keelson/evm'
import { type GenesisAccount, type Hash, L2_TO_L1_MESSAGE_PASSER, l2Time, SEQUENCER_FEE_VAULT, utf8ToBytes } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import type { ContractFiles } from './contract-files.ts'
import { firstBlock, type GenesisHead } from './first-block.ts'
import { GenesisError } from './genesis-error.ts'
import { type GenesisChain, openGenesisSession } from './genesis-session.ts'
import { l2GethConfig } from './geth-config.ts'
import type { L1Addresses } from './l1-deployment.ts'
import { placePredeploys } from './l2-predeploys.ts'
import type { NetworkParameters } from './network-parameters.ts'
import { type OwnContractsOptions, placeOwnContracts } from './own-contracts.ts'

export interface L2GenesisOptions {
  readonly engine: EvmEngine
  readonly contracts: ContractFiles
  readonly parameters: NetworkParameters
  readonly genesisTimeSec: number
  readonly l1: L1Addresses
  readonly extend?: (options: OwnContractsOptions) => Promise<void>
}

export interface L2Genesis {
  readonly head: GenesisHead
  readonly accounts: readonly GenesisAccount[]
  readonly stateRoot: Hash
  readonly messagePasserStorageRoot: Hash
}

export function genesisRules({ fork }: Pick<NetworkParameters, 'fork'>, genesisTimeSec: number): BlockRules {
  return createForkSchedule({ times: forksAtGenesis(fork) }).blockRules(l2Time(genesisTimeSec))
}

export async function buildL2Genesis(options: L2GenesisOptions): Promise<L2Genesis> {
  const { engine, contracts, parameters, genesisTimeSec, l1, extend } = options
  const rules = genesisRules(parameters, genesisTimeSec)
  const chain: GenesisChain = {
    engine,
    rules,
    chainId: parameters.l2ChainId,
    // Pools store this time; it must not depend on the network's start.
    timestampSec: 0,
    gasLimit: parameters.l2GasLimit,
    baseFeeWei: INITIAL_BASE_FEE_WEI,
  }
  const session = openGenesisSession(chain)
  const { admin } = parameters.roles
  await placePredeploys({ session, chain, contracts, fork: parameters.fork, l1ChainId: parameters.l1ChainId, l1, admin })
  await placeOwnContracts({ session, chain, contracts }, parameters)
  await extend?.({ session, chain, contracts })
  // Resets the nonce of the admin's calls, which are in no block.
  session.place(admin, { nonce: 0n })
  const accounts = session.accounts([BEACON_ROOTS_DEPLOYER])
  const state = computeGenesisState(accounts)
  const messagePasserStorageRoot = state.storageRoot(L2_TO_L1_MESSAGE_PASSER)
  if (messagePasserStorageRoot === null) throw new GenesisError('node/genesis-execution', 'the L2 genesis lacks the L2ToL1MessagePasser')
  const head = firstBlock({
    chainConfig: l2GethConfig(parameters, rules),
    timestampSec: genesisTimeSec,
    gasLimit: parameters.l2GasLimit,
    extraData: l2ExtraData(parameters, rules),
    feeRecipient: SEQUENCER_FEE_VAULT,
    ...(rules.blobFields ? { blobGasUsed: 0n, excessBlobGas: 0n } : {}),
  })
  return { head, accounts, stateRoot: state.stateRoot, messagePasserStorageRoot }
}

function l2ExtraData(parameters: NetworkParameters, rules: BlockRules): Uint8Array {
  if (rules.extraDataVersion === null) return utf8ToBytes('KEELSON')
  return encodeExtraData(rules, new Uint8Array(8), parameters.minBaseFeeWei)
}
