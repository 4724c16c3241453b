/** Takes seconds, because it executes the contracts, so the default network is prebuilt. */
import { type BlockRules, type Genesis, genesisToJson, INITIAL_BASE_FEE_WEI, l1ForkRules } from '@keelson/chainspec'
import { DEPOSIT_ENTRY, getStorageSlot, LIQUIDITY_CONTRACTS, OWN_CONTRACTS } from '@keelson/contracts'
import type { EvmEngine } from '@keelson/evm'
import type { Address, GenesisAccount, Hash } from '@keelson/primitives'
import { buildL2Genesis, genesisRules, type L2Genesis } from '../build-l2-genesis.ts'
import type { ContractFiles } from '../contract-files.ts'
import { firstBlock, type GenesisHead } from '../first-block.ts'
import { type GenesisChain, type GenesisSession, openGenesisSession } from '../genesis-session.ts'
import { l1GethConfig } from '../geth-config.ts'
import { deployL1Contracts, type L1Addresses } from '../l1-deployment.ts'
import { type LiquidityAddresses, type PairAddresses, placeLiquidity } from '../liquidity.ts'
import { placeDepositEntry } from '../own-contracts.ts'
import { DEV_ACCOUNTS, DEV_ROLES, type DevAccount } from './dev-accounts.ts'
import type { DevnetParameters } from './devnet-parameters.ts'

export interface BuildDevnetOptions {
  readonly engine: EvmEngine
  readonly contracts: ContractFiles
  readonly parameters: DevnetParameters
  readonly genesisTimeSec: number
  readonly funded?: FundedAccounts
}

export interface FundedAccounts {
  readonly balanceWei: bigint
  readonly addresses: readonly Address[]
}

/** Owner of the platform's trading wallet, funded on every development network. */
export const TRADING_ACCOUNT = DEV_ACCOUNTS[9] as DevAccount

export interface DevnetAddresses extends L1Addresses, LiquidityAddresses {
  readonly DepositEntry: Address
  readonly Agents: Address
  readonly Tasks: Address
  readonly Staking: Address
}

export interface DevnetGenesis {
  readonly parameters: DevnetParameters
  readonly l1: Genesis
  readonly l2: GenesisHead
  l2Json(): string
  readonly l2StateRoot: Hash
  readonly messagePasserStorageRoot: Hash
  readonly addresses: DevnetAddresses
  /** Slot of the output oracle's start time, the only one that depends on the genesis time. */
  readonly timeSlot: { readonly address: Address; readonly slot: number }
}

/** Throws GenesisError, or ChainspecError for a fork without an upgrade bundle. */
export async function buildDevnetGenesis(given: BuildDevnetOptions): Promise<DevnetGenesis> {
  const { parameters, contracts } = given
  const options = {
    ...given,
    funded: given.funded ?? { balanceWei: parameters.fundingWei, addresses: DEV_ACCOUNTS.map(({ address }) => address) },
  }
  const l2Rules = genesisRules(parameters, options.genesisTimeSec)
  const { accounts: l1Accounts, addresses } = await buildL1(options, l2Rules)
  const { genesis, pairs } = await buildL2(options, addresses)
  const { head: l2, accounts: l2Accounts, stateRoot: l2StateRoot, messagePasserStorageRoot } = genesis
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
    l2StateRoot,
    messagePasserStorageRoot,
    addresses: { ...addresses, DepositEntry: DEPOSIT_ENTRY, ...OWN_CONTRACTS, ...LIQUIDITY_CONTRACTS, ...pairs },
    timeSlot: { address: addresses.L2OutputOracle, slot: getStorageSlot(contracts.artifact('L2OutputOracle'), 'startingTimestamp') },
  }
}

async function buildL1(
  { engine, contracts, parameters, genesisTimeSec, funded }: Required<BuildDevnetOptions>,
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
  const addresses = await deployL1Contracts({
    session,
    contracts,
    parameters,
    deployer: parameters.roles.admin,
    genesisTimeSec,
    singleScalar,
  })
  await placeDepositEntry({ session, chain, contracts }, addresses)
  for (const { address, code } of contracts.preinstalls(parameters.l1ChainId)) session.place(address, { code, nonce: 1n })
  fund(session, [TRADING_ACCOUNT, ...Object.values(DEV_ROLES)], parameters.fundingWei)
  for (const address of funded.addresses) session.place(address, { balanceWei: funded.balanceWei })
  return { accounts: session.accounts(), addresses }
}

async function buildL2(
  options: Required<BuildDevnetOptions>,
  l1: L1Addresses,
): Promise<{ readonly genesis: L2Genesis; readonly pairs: PairAddresses }> {
  const { parameters, funded } = options
  const holders = [...new Set([...funded.addresses, TRADING_ACCOUNT.address])]
  let pairs: PairAddresses | undefined
  const genesis = await buildL2Genesis({
    ...options,
    l1,
    async extend(parts) {
      pairs = await placeLiquidity({ ...parts, holders }, parameters)
      fund(parts.session, [TRADING_ACCOUNT, DEV_ROLES.validator, DEV_ROLES.admin], parameters.fundingWei)
      for (const address of funded.addresses) parts.session.place(address, { balanceWei: funded.balanceWei })
      fund(parts.session, [DEV_ROLES.faucet], parameters.faucetFundingWei)
    },
  })
  return { genesis, pairs: pairs as PairAddresses }
}

function fund(session: GenesisSession, accounts: readonly { readonly address: Address }[], balanceWei: bigint): void {
  for (const { address } of accounts) session.place(address, { balanceWei })
}

/** Funds the portal with L2's initial balances, so that they can be withdrawn. */
function backedBy(l1: readonly GenesisAccount[], portal: Address, l2: readonly GenesisAccount[]): readonly GenesisAccount[] {
  const balanceWei = l2.reduce((sum, account) => sum + account.balanceWei, 0n)
  return l1.map((account) => (account.address === portal ? { ...account, balanceWei: account.balanceWei + balanceWei } : account))
}
