/** Genesis and configuration of the simulated rollup: that of a development network, with other times. */
import { type Fork, type ForkTimes, forkLimitOf, type L1ChainConfig, type RollupConfig } from '@keelson/chainspec'
import {
  buildL2Genesis,
  DEFAULT_DEVNET_PARAMETERS,
  DEV_ACCOUNTS,
  DEV_ROLES,
  type L1Addresses,
  LIQUIDITY_WEI,
  l2GenesisHeader,
  type NetworkParameters,
  networkRollupConfig,
  openContractFiles,
  type PairAddresses,
  placeLiquidity,
} from '@keelson/devnet/genesis'
import { createWasmEngine } from '@keelson/evm'
import { type ExecutionChain, opChainRules } from '@keelson/execution'
import type { Address, Crypto, GenesisAccount, L1BlockRef } from '@keelson/primitives'
import { FAUCET_ADDRESS, FAUCET_FUNDS_WEI } from '../apps/faucet-role.ts'
import { buildL1Start, type L1Start } from '../l1/l1-genesis.ts'
import { OWNER_FUNDS_WEI, ownerAddresses } from '../staking/validator-accounts.ts'
import { activationTimes, forkBefore, type Upgrade } from '../upgrades/upgrades.ts'
import { bridgeUserAddresses } from './bridge-users.ts'

export const USER_FUNDS_WEI = 1_000n * 10n ** 18n
/** What pools hold at first. */
export const EXCHANGE_FUNDS_WEI = LIQUIDITY_WEI
export type ExchangePairs = PairAddresses
export const SUBMITTER_FUNDS_WEI = 1_000_000n * 10n ** 18n
const SUBMISSION_INTERVAL_BLOCKS = 300
const FINALIZATION_PERIOD_SEC = 120
const HASH_SEED = Uint8Array.from({ length: 80 }, (_, i) => i)

export const PARAMETERS: NetworkParameters = {
  ...DEFAULT_DEVNET_PARAMETERS,
  submissionIntervalBlocks: SUBMISSION_INTERVAL_BLOCKS,
  finalizationPeriodSec: FINALIZATION_PERIOD_SEC,
}

function l1Funds(crypto: Crypto): ReadonlyMap<Address, bigint> {
  return new Map([
    ...[DEV_ROLES.batcher, DEV_ROLES.proposer].map(({ address }) => [address, SUBMITTER_FUNDS_WEI] as const),
    ...bridgeUserAddresses(crypto).map((address) => [address, USER_FUNDS_WEI] as const),
  ])
}

/** The genesis state of a run that begins with one fork. */
export interface L2Start {
  readonly fork: Fork
  readonly l1: L1Start
  readonly header: ReturnType<typeof l2GenesisHeader>
  readonly accounts: readonly GenesisAccount[]
  readonly pairs: ExchangePairs
  config(l1: L1BlockRef, laterForks: ForkTimes): RollupConfig
}

export interface RollupNetwork {
  readonly config: RollupConfig
  readonly addresses: L1Addresses
  readonly l1Chain: L1ChainConfig
  readonly chain: ExecutionChain
  readonly pairs: ExchangePairs
}

/** Reads files, so call it before the simulation runs. */
export async function buildL2Start(genesisTimeSec: number, crypto: Crypto, fork = PARAMETERS.fork): Promise<L2Start> {
  const engine = createWasmEngine({ crypto, hashSeed: HASH_SEED })
  const contracts = openContractFiles()
  const parameters = { ...PARAMETERS, fork }
  const options = { engine, contracts, parameters, genesisTimeSec }
  const l1 = await buildL1Start({ ...options, funds: l1Funds(crypto) })
  const holders = DEV_ACCOUNTS.map(({ address }) => address)
  let pairs = null as ExchangePairs | null
  const built = await buildL2Genesis({
    ...options,
    l1: l1.addresses,
    async extend(place) {
      pairs = await placeLiquidity({ ...place, holders }, parameters)
      for (const address of holders) place.session.place(address, { balanceWei: USER_FUNDS_WEI })
      for (const address of ownerAddresses(crypto)) place.session.place(address, { balanceWei: OWNER_FUNDS_WEI })
      place.session.place(FAUCET_ADDRESS, { balanceWei: FAUCET_FUNDS_WEI })
    },
  })
  const first = {
    parameters,
    addresses: l1.addresses,
    l2: built.head,
    l2StateRoot: built.stateRoot,
    messagePasserStorageRoot: built.messagePasserStorageRoot,
  }
  if (pairs === null) throw new RangeError('the genesis has no exchange')
  return {
    fork,
    l1,
    pairs,
    header: l2GenesisHeader(first),
    accounts: built.accounts,
    config: ({ hash, number }, laterForks) => networkRollupConfig(first, { hash, number }, laterForks),
  }
}

export function openRollupNetwork(
  { fork, l1: { addresses }, header, accounts, pairs, config: configAt }: L2Start,
  l1: L1BlockRef,
  upgrades: readonly Upgrade[],
): RollupNetwork {
  const expected = forkBefore(upgrades) ?? PARAMETERS.fork
  if (fork !== expected) throw new RangeError(`the chain begins with ${fork}; these upgrades need ${expected}`)
  const config = configAt(l1, activationTimes(upgrades, header.timestampSec))
  return {
    config,
    addresses,
    pairs,
    l1Chain: {
      chainId: config.l1ChainId,
      forks: [
        { fork: 'paris', fromBlock: 0, fromTimeSec: null },
        { fork: 'shanghai', fromBlock: null, fromTimeSec: 0 },
        { fork: 'cancun', fromBlock: null, fromTimeSec: 0 },
        { fork: 'prague', fromBlock: null, fromTimeSec: 0 },
      ],
      blobSchedule: [{ fromTimeSec: 0, target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n, name: 'prague' }],
      firstUnsupportedFork: null,
    },
    chain: {
      chainId: config.l2ChainId,
      rules: opChainRules(config.forks, forkLimitOf(config)),
      genesis: { header, alloc: accounts },
    },
  }
}
