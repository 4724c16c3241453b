/**
 * Builds both chains of the development network from nothing, by really running their contracts.
 * Takes seconds, so the default network is kept prebuilt (prebuilt-devnet.ts).
 */
import {
  type BlockRules,
  createForkSchedule,
  forksAtGenesis,
  type Genesis,
  genesisToJson,
  INITIAL_BASE_FEE_WEI,
  l1ForkRules,
} from '@keelson/chainspec'
import { BEACON_ROOTS_DEPLOYER, DEPOSIT_ENTRY, getStorageSlot, LIQUIDITY_CONTRACTS, OWN_CONTRACTS } from '@keelson/contracts'
import { type EvmEngine, encodeExtraData } from '@keelson/evm'
import {
  type Address,
  type GenesisAccount,
  type Hash,
  L2_TO_L1_MESSAGE_PASSER,
  l2Time,
  SEQUENCER_FEE_VAULT,
  utf8ToBytes,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import type { ContractFiles } from './contract-files.ts'
import { DEV_ACCOUNTS, DEV_ROLES } from './dev-accounts.ts'
import type { DevnetParameters } from './devnet-parameters.ts'
import { GenesisError } from './genesis-error.ts'
import { type GenesisChain, type GenesisSession, openGenesisSession } from './genesis-session.ts'
import { l1GethConfig, l2GethConfig } from './geth-config.ts'
import { deployL1Contracts, type L1Addresses } from './l1-deployment.ts'
import { placePredeploys } from './l2-predeploys.ts'
import { type LiquidityAddresses, type PairAddresses, placeLiquidity } from './liquidity.ts'
import { placeDepositEntry, placeOwnContracts } from './own-contracts.ts'

export interface BuildDevnetOptions {
  readonly engine: EvmEngine
  readonly contracts: ContractFiles
  readonly parameters: DevnetParameters
  /** Time of block 0 on both chains. */
  readonly genesisTimeSec: number
}

/** Contracts of both chains by name; no name stands on both. */
export interface DevnetAddresses extends L1Addresses, LiquidityAddresses {
  readonly DepositEntry: Address
  readonly Agents: Address
  readonly Tasks: Address
  readonly Staking: Address
}

/** All of a first block but its accounts. */
export type GenesisHead = Omit<Genesis, 'accounts'>

export interface DevnetGenesis {
  readonly parameters: DevnetParameters
  readonly l1: Genesis
  readonly l2: GenesisHead
  /** genesis.json of L2 as text: 9 MB, of which a start needs only the copying. */
  l2Json(): string
  readonly l2StateRoot: Hash
  /** Storage root of the L2ToL1MessagePasser, for the header. */
  readonly messagePasserStorageRoot: Hash
  readonly addresses: DevnetAddresses
  /** The one place of either state that holds the genesis time: the output oracle's start. */
  readonly timeSlot: { readonly address: Address; readonly slot: number }
}

/** Throws GenesisError; a fork whose upgrade bundle is not at hand is refused by chainspec. */
export async function buildDevnetGenesis(options: BuildDevnetOptions): Promise<DevnetGenesis> {
  const { parameters, contracts } = options
  const l2Rules = createForkSchedule({ times: forksAtGenesis(parameters.fork) }).blockRules(l2Time(options.genesisTimeSec))
  const { accounts: l1Accounts, addresses } = await buildL1(options, l2Rules)
  const { accounts: l2Accounts, pairs } = await buildL2(options, l2Rules, addresses)
  const state = computeGenesisState(l2Accounts)
  const messagePasserStorageRoot = state.storageRoot(L2_TO_L1_MESSAGE_PASSER)
  if (messagePasserStorageRoot === null) throw new GenesisError('node/genesis-execution', 'the L2 genesis lacks the L2ToL1MessagePasser')
  const l2 = firstBlock({
    chainConfig: l2GethConfig(parameters, l2Rules),
    timestampSec: options.genesisTimeSec,
    gasLimit: parameters.l2GasLimit,
    extraData: l2ExtraData(parameters, l2Rules),
    feeRecipient: SEQUENCER_FEE_VAULT,
    ...(l2Rules.blobFields ? { blobGasUsed: 0n, excessBlobGas: 0n } : {}),
  })
  const l1 = firstBlock({
    chainConfig: l1GethConfig(parameters),
    timestampSec: options.genesisTimeSec,
    gasLimit: parameters.l1GasLimit,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
  })
  return {
    parameters,
    l1: { ...l1, accounts: backedBy(l1Accounts, addresses.OptimismPortal, l2Accounts) },
    l2,
    l2Json: () => JSON.stringify(genesisToJson({ ...l2, accounts: l2Accounts })),
    l2StateRoot: state.stateRoot,
    messagePasserStorageRoot,
    addresses: { ...addresses, DepositEntry: DEPOSIT_ENTRY, ...OWN_CONTRACTS, ...LIQUIDITY_CONTRACTS, ...pairs },
    timeSlot: { address: addresses.L2OutputOracle, slot: getStorageSlot(contracts.artifact('L2OutputOracle'), 'startingTimestamp') },
  }
}

async function buildL1(
  { engine, contracts, parameters, genesisTimeSec }: BuildDevnetOptions,
  l2Rules: BlockRules,
): Promise<{ accounts: readonly GenesisAccount[]; addresses: L1Addresses }> {
  const chain: GenesisChain = {
    engine,
    rules: l1ForkRules(parameters.l1Fork),
    chainId: parameters.l1ChainId,
    timestampSec: genesisTimeSec,
    gasLimit: parameters.l1GasLimit,
    baseFeeWei: INITIAL_BASE_FEE_WEI,
  }
  const session = openGenesisSession(chain)
  const singleScalar = l2Rules.l1InfoFormat === 'bedrock'
  const addresses = await deployL1Contracts({ session, contracts, parameters, genesisTimeSec, singleScalar })
  await placeDepositEntry({ session, chain, contracts }, addresses)
  for (const { address, code } of contracts.preinstalls(parameters.l1ChainId)) session.place(address, { code, nonce: 1n })
  fund(session, [...DEV_ACCOUNTS, ...Object.values(DEV_ROLES)], parameters.fundingWei)
  return { accounts: session.accounts(), addresses }
}

async function buildL2(
  { engine, contracts, parameters }: BuildDevnetOptions,
  rules: BlockRules,
  l1: L1Addresses,
): Promise<{ accounts: readonly GenesisAccount[]; pairs: PairAddresses }> {
  const chain: GenesisChain = {
    engine,
    rules,
    chainId: parameters.l2ChainId,
    // a pool notes the time of its last change, and this state must be the same whenever a network starts
    timestampSec: 0,
    gasLimit: parameters.l2GasLimit,
    baseFeeWei: INITIAL_BASE_FEE_WEI,
  }
  const session = openGenesisSession(chain)
  await placePredeploys({ session, chain, contracts, fork: parameters.fork, l1ChainId: parameters.l1ChainId, l1 })
  await placeOwnContracts({ session, chain, contracts }, parameters)
  const pairs = await placeLiquidity({ session, chain, contracts }, parameters)
  // its calls until now are in no block
  session.place(DEV_ROLES.admin.address, { nonce: 0n })
  fund(session, [...DEV_ACCOUNTS, DEV_ROLES.validator, DEV_ROLES.admin], parameters.fundingWei)
  fund(session, [DEV_ROLES.faucet], parameters.faucetFundingWei)
  return { accounts: session.accounts([BEACON_ROOTS_DEPLOYER]), pairs }
}

function fund(session: GenesisSession, accounts: readonly { readonly address: Address }[], balanceWei: bigint): void {
  for (const { address } of accounts) session.place(address, { balanceWei })
}

/** What L2 begins with can be withdrawn like what is deposited later, so the portal holds it. */
function backedBy(l1: readonly GenesisAccount[], portal: Address, l2: readonly GenesisAccount[]): readonly GenesisAccount[] {
  const balanceWei = l2.reduce((sum, account) => sum + account.balanceWei, 0n)
  return l1.map((account) => (account.address === portal ? { ...account, balanceWei: account.balanceWei + balanceWei } : account))
}

/** Base-fee parameters of block 0, which block 1 is priced by; free text before they exist. */
function l2ExtraData(parameters: DevnetParameters, rules: BlockRules): Uint8Array {
  if (rules.extraDataVersion === null) return utf8ToBytes('KEELSON')
  return encodeExtraData(rules, new Uint8Array(8), parameters.minBaseFeeWei)
}

type Chosen = Pick<GenesisHead, 'chainConfig' | 'timestampSec' | 'gasLimit'> & Partial<GenesisHead>

function firstBlock(chosen: Chosen): GenesisHead {
  return {
    number: 0,
    parentHash: ZERO_HASH,
    extraData: new Uint8Array(0),
    gasUsed: 0n,
    difficulty: 0n,
    mixHash: ZERO_HASH,
    feeRecipient: ZERO_ADDRESS,
    nonce: new Uint8Array(8),
    baseFeeWei: INITIAL_BASE_FEE_WEI,
    blobGasUsed: null,
    excessBlobGas: null,
    ...chosen,
  }
}
