/** Genesis and configuration of the simulated rollup: that of a development network, with other times. */
import { forkLimitOf, type L1ChainConfig, type RollupConfig } from '@keelson/chainspec'
import {
  buildL2Genesis,
  DEFAULT_DEVNET_PARAMETERS,
  DEV_ACCOUNTS,
  DEV_ROLES,
  l2GenesisHeader,
  type NetworkParameters,
  networkRollupConfig,
  openContractFiles,
} from '@keelson/devnet/genesis'
import { createWasmEngine } from '@keelson/evm'
import { type ExecutionChain, opChainRules } from '@keelson/execution'
import { type Address, bigintToBytes, bytesToHex, type Crypto, type GenesisAccount, type L1BlockRef, toAddress } from '@keelson/primitives'

export const USER_FUNDS_WEI = 1_000n * 10n ** 18n
export const SUBMITTER_FUNDS_WEI = 1_000_000n * 10n ** 18n
const SUBMISSION_INTERVAL_BLOCKS = 300
const HASH_SEED = Uint8Array.from({ length: 80 }, (_, i) => i)

/** The oracle's address is the third. */
const L1_CONTRACTS = [
  'AddressManager',
  'ProxyAdmin',
  'L2OutputOracle',
  'SuperchainConfig',
  'SystemConfig',
  'OptimismPortal',
  'L1CrossDomainMessenger',
  'L1StandardBridge',
  'L1ERC721Bridge',
  'OptimismMintableERC20Factory',
] as const
type L1ContractAddresses = Readonly<Record<(typeof L1_CONTRACTS)[number], Address>>

export const L1_ADDRESSES = Object.fromEntries(
  L1_CONTRACTS.map((name, i) => [name, toAddress(bytesToHex(bigintToBytes(0x1100n + BigInt(i), 20)))]),
) as L1ContractAddresses

export const PARAMETERS: NetworkParameters = { ...DEFAULT_DEVNET_PARAMETERS, submissionIntervalBlocks: SUBMISSION_INTERVAL_BLOCKS }

export interface L2Start {
  readonly header: ReturnType<typeof l2GenesisHeader>
  readonly accounts: readonly GenesisAccount[]
  config(l1: L1BlockRef): RollupConfig
}

export interface RollupNetwork {
  readonly config: RollupConfig
  readonly l1Chain: L1ChainConfig
  readonly chain: ExecutionChain
}

/** Reads files, so call it before the simulation runs. */
export async function buildL2Start(genesisTimeSec: number, crypto: Crypto): Promise<L2Start> {
  const built = await buildL2Genesis({
    engine: createWasmEngine({ crypto, hashSeed: HASH_SEED }),
    contracts: openContractFiles(),
    parameters: PARAMETERS,
    genesisTimeSec,
    l1: L1_ADDRESSES,
    async extend({ session }) {
      for (const { address } of DEV_ACCOUNTS) session.place(address, { balanceWei: USER_FUNDS_WEI })
    },
  })
  const first = {
    parameters: PARAMETERS,
    addresses: L1_ADDRESSES,
    l2: built.head,
    l2StateRoot: built.stateRoot,
    messagePasserStorageRoot: built.messagePasserStorageRoot,
  }
  return {
    header: l2GenesisHeader(first),
    accounts: built.accounts,
    config: ({ hash, number }) => networkRollupConfig(first, { hash, number }),
  }
}

export function openRollupNetwork({ header, accounts, config: configAt }: L2Start, l1: L1BlockRef): RollupNetwork {
  const config = configAt(l1)
  return {
    config,
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

export const L1_BALANCES: ReadonlyMap<Address, bigint> = new Map(
  [DEV_ROLES.batcher, DEV_ROLES.proposer].map(({ address }) => [address, SUBMITTER_FUNDS_WEI]),
)
