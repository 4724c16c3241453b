/** Deploys on our engine, for block 0 of a development L1 or as a rehearsal. */
import { type ArtifactName, addressWord, encodeCall, encodeParameters } from '@keelson/contracts'
import { type Address, concatBytes, toAddress, ZERO_ADDRESS } from '@keelson/primitives'
import type { ContractFiles } from './contract-files.ts'
import type { GenesisSession } from './genesis-session.ts'
import type { NetworkParameters } from './network-parameters.ts'

export interface L1Addresses {
  readonly AddressManager: Address
  readonly ProxyAdmin: Address
  readonly SuperchainConfig: Address
  readonly SystemConfig: Address
  readonly OptimismPortal: Address
  readonly L2OutputOracle: Address
  readonly L1CrossDomainMessenger: Address
  readonly L1StandardBridge: Address
  readonly L1ERC721Bridge: Address
  readonly OptimismMintableERC20Factory: Address
}

const PROXY_TYPE_CHUGSPLASH = 1n
const PROXY_TYPE_RESOLVED = 2n
const MESSENGER_NAME = 'OVM_L1CrossDomainMessenger'
/** Denotes the native currency as gas-paying token. */
const NATIVE_CURRENCY = toAddress('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
/** Public chains' values. specs: protocol/guaranteed-gas-market.md */
const RESOURCE_CONFIG = [20_000_000n, 10n, 8n, 1_000_000_000n, 1_000_000n, (1n << 128n) - 1n]

export interface L1DeploymentOptions {
  readonly session: GenesisSession
  readonly contracts: ContractFiles
  readonly parameters: NetworkParameters
  readonly deployer: Address
  readonly genesisTimeSec: number
  readonly singleScalar: boolean
}

export async function deployL1Contracts(options: L1DeploymentOptions): Promise<L1Addresses> {
  const { session, contracts, deployer } = options
  const { admin } = options.parameters.roles
  const create = (name: ArtifactName, types = '', args: Parameters<typeof encodeParameters>[1] = []) =>
    session.create(deployer, concatBytes(contracts.artifact(name).bytecode, encodeParameters(types, args)))

  const proxyAdmin = await create('ProxyAdmin', 'address', [deployer])
  const addressManager = await create('AddressManager')
  const proxy = () => create('Proxy', 'address', [proxyAdmin])
  const addresses: L1Addresses = {
    AddressManager: addressManager,
    ProxyAdmin: proxyAdmin,
    SuperchainConfig: await proxy(),
    SystemConfig: await proxy(),
    OptimismPortal: await proxy(),
    L2OutputOracle: await proxy(),
    L1CrossDomainMessenger: await create('ResolvedDelegateProxy', 'address,string', [addressManager, MESSENGER_NAME]),
    L1StandardBridge: await create('L1ChugSplashProxy', 'address', [proxyAdmin]),
    L1ERC721Bridge: await proxy(),
    OptimismMintableERC20Factory: await proxy(),
  }
  await prepareProxyAdmin(options, addresses)
  for (const [name, initialise] of initialisers(addresses, options)) {
    const implementation = await create(name)
    const data = encodeCall('upgradeAndCall(address,address,bytes)', [addresses[name], implementation, initialise])
    await session.call(deployer, proxyAdmin, data)
  }
  if (deployer !== admin) await session.call(deployer, proxyAdmin, encodeCall('transferOwnership(address)', [admin]))
  if (options.singleScalar) {
    // Only the owner may call it.
    await session.call(admin, addresses.SystemConfig, encodeCall('setGasConfig(uint256,uint256)', [BEDROCK_OVERHEAD, BEDROCK_SCALAR]))
  }
  return addresses
}

export const BEDROCK_OVERHEAD = 188n
export const BEDROCK_SCALAR = 684_000n

async function prepareProxyAdmin(
  { session, deployer }: L1DeploymentOptions,
  { AddressManager, ProxyAdmin, ...proxies }: L1Addresses,
): Promise<void> {
  const ask = (signature: string, args: Parameters<typeof encodeCall>[1]) => session.call(deployer, ProxyAdmin, encodeCall(signature, args))
  await ask('setAddressManager(address)', [AddressManager])
  await session.call(deployer, AddressManager, encodeCall('transferOwnership(address)', [ProxyAdmin]))
  await ask('setProxyType(address,uint8)', [proxies.L1StandardBridge, PROXY_TYPE_CHUGSPLASH])
  await ask('setProxyType(address,uint8)', [proxies.L1CrossDomainMessenger, PROXY_TYPE_RESOLVED])
  await ask('setImplementationName(address,string)', [proxies.L1CrossDomainMessenger, MESSENGER_NAME])
}

type Proxied = Exclude<keyof L1Addresses, 'AddressManager' | 'ProxyAdmin'>

function initialisers(
  at: L1Addresses,
  { parameters: p, genesisTimeSec }: L1DeploymentOptions,
): readonly (readonly [Proxied, Uint8Array])[] {
  const { admin, batcher, proposer, sequencer } = p.roles
  const systemConfig = encodeCall(
    'initialize(address,uint32,uint32,bytes32,uint64,address,(uint32,uint8,uint8,uint32,uint32,uint128),address,(address,address,address,address,address,address,address))',
    [
      admin,
      p.baseFeeScalar,
      p.blobBaseFeeScalar,
      addressWord(batcher),
      p.l2GasLimit,
      sequencer,
      RESOURCE_CONFIG,
      p.batchInbox,
      [
        at.L1CrossDomainMessenger,
        at.L1ERC721Bridge,
        at.L1StandardBridge,
        ZERO_ADDRESS,
        at.OptimismPortal,
        at.OptimismMintableERC20Factory,
        NATIVE_CURRENCY,
      ],
    ],
  )
  const oracle = encodeCall('initialize(uint256,uint256,uint256,uint256,address,address,uint256)', [
    BigInt(p.submissionIntervalBlocks),
    BigInt(p.l2BlockTimeSec),
    0n,
    BigInt(genesisTimeSec),
    proposer,
    admin,
    BigInt(p.finalizationPeriodSec),
  ])
  const three = 'initialize(address,address,address)'
  const { SuperchainConfig: superchain, SystemConfig: config, OptimismPortal: portal, L1CrossDomainMessenger: messenger } = at
  return [
    ['SuperchainConfig', encodeCall('initialize(address,bool)', [admin, false])],
    ['SystemConfig', systemConfig],
    ['L2OutputOracle', oracle],
    ['OptimismPortal', encodeCall(three, [at.L2OutputOracle, config, superchain])],
    ['L1CrossDomainMessenger', encodeCall(three, [superchain, portal, config])],
    ['L1StandardBridge', encodeCall(three, [messenger, superchain, config])],
    ['L1ERC721Bridge', encodeCall('initialize(address,address)', [messenger, superchain])],
    ['OptimismMintableERC20Factory', encodeCall('initialize(address)', [at.L1StandardBridge])],
  ]
}
