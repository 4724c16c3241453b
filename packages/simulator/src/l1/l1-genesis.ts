/** The first state of L1: this repository's contracts, deployed on its engine. */
import { l1ForkRules } from '@keelson/chainspec'
import {
  type ContractFiles,
  deployL1Contracts,
  type L1Addresses,
  type NetworkParameters,
  openGenesisSession,
} from '@keelson/devnet/genesis'
import type { EvmEngine } from '@keelson/evm'
import type { Address, GenesisAccount } from '@keelson/primitives'

export interface L1Start {
  readonly addresses: L1Addresses
  readonly accounts: readonly GenesisAccount[]
}

export interface L1StartOptions {
  readonly engine: EvmEngine
  readonly contracts: ContractFiles
  readonly parameters: NetworkParameters
  readonly genesisTimeSec: number
  readonly funds: ReadonlyMap<Address, bigint>
}

const GAS_LIMIT = 60_000_000n
const BASE_FEE_WEI = 10n ** 9n

export async function buildL1Start({ engine, contracts, parameters, genesisTimeSec, funds }: L1StartOptions): Promise<L1Start> {
  const session = openGenesisSession({
    engine,
    rules: l1ForkRules('prague'),
    chainId: parameters.l1ChainId,
    timestampSec: genesisTimeSec,
    gasLimit: GAS_LIMIT,
    baseFeeWei: BASE_FEE_WEI,
  })
  const deployer = parameters.roles.admin
  const addresses = await deployL1Contracts({ session, contracts, parameters, deployer, genesisTimeSec, singleScalar: false })
  for (const [address, balanceWei] of funds) session.place(address, { balanceWei })
  return { addresses, accounts: session.accounts([deployer]) }
}
