/** specs: protocol/predeploys.md */
import { type BlockRules, createForkSchedule, type Fork, type ForkTimes, forksUpTo } from '@keelson/chainspec'
import {
  type ArtifactName,
  addressWord,
  BEACON_ROOTS_DEPLOYER,
  BEACON_ROOTS_NAME,
  encodeCall,
  encodeParameters,
  implementationAddress,
  PREDEPLOY_COUNT,
  PREDEPLOYS,
  predeployAddress,
} from '@keelson/contracts'
import {
  type Address,
  concatBytes,
  decodeTransaction,
  GAS_PRICE_ORACLE,
  type Hash,
  isDeposit,
  keccak256Hash,
  L1_INFO_DEPOSITOR,
  l2Time,
  toAddress,
} from '@keelson/primitives'
import type { ContractFiles } from './contract-files.ts'
import { GenesisError } from './genesis-error.ts'
import { type GenesisChain, type GenesisSession, runConstructor } from './genesis-session.ts'
import type { L1Addresses } from './l1-deployment.ts'
import { UPGRADE_CODE_HASHES } from './upgrade-code-hashes.ts'

/** EIP-1967. */
const ADMIN_SLOT = '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103' as Hash
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc' as Hash
/** WETH has no proxy; the governance token is not deployed. */
const NOT_PROXIED: ReadonlySet<Address> = new Set([PREDEPLOYS.WETH, PREDEPLOYS.GovernanceToken])
const VAULT_MINIMUM_WEI = 10n ** 18n
const VAULT_NETWORK_L2 = 1n

export interface L2PredeployOptions {
  readonly session: GenesisSession
  readonly chain: GenesisChain
  readonly contracts: ContractFiles
  readonly fork: Fork
  readonly l1ChainId: bigint
  readonly l1: L1Addresses
  readonly admin: Address
}

export async function placePredeploys(options: L2PredeployOptions): Promise<void> {
  placeProxies(options)
  await placeImplementations(options)
  await initialise(options)
  placePreinstalls(options)
  await runUpgrades(options)
}

function placeProxies({ session, contracts }: L2PredeployOptions): void {
  const code = contracts.artifact('Proxy').deployedBytecode
  const admin = addressWord(PREDEPLOYS.ProxyAdmin)
  for (let i = 0; i < PREDEPLOY_COUNT; i++) {
    const address = predeployAddress(i)
    if (!NOT_PROXIED.has(address)) session.place(address, { code, storage: [[ADMIN_SLOT, admin]] })
  }
}

function constructorArguments({ l1ChainId, admin }: L2PredeployOptions): Readonly<Partial<Record<ArtifactName, Uint8Array>>> {
  const vault = encodeParameters('address,uint256,uint8', [admin, VAULT_MINIMUM_WEI, VAULT_NETWORK_L2])
  return {
    SequencerFeeVault: vault,
    BaseFeeVault: vault,
    L1FeeVault: vault,
    OptimismMintableERC721Factory: encodeParameters('address,uint256', [PREDEPLOYS.L2ERC721Bridge, l1ChainId]),
    ProxyAdmin: encodeParameters('address', [admin]),
  }
}

/** Without the operator fee vault, which an upgrade deploys. */
const IMPLEMENTED = [
  'LegacyMessagePasser',
  'DeployerWhitelist',
  'L2CrossDomainMessenger',
  'GasPriceOracle',
  'L2StandardBridge',
  'SequencerFeeVault',
  'OptimismMintableERC20Factory',
  'L1BlockNumber',
  'L2ERC721Bridge',
  'L1Block',
  'L2ToL1MessagePasser',
  'OptimismMintableERC721Factory',
  'ProxyAdmin',
  'BaseFeeVault',
  'L1FeeVault',
  'SchemaRegistry',
  'EAS',
] as const satisfies readonly (ArtifactName & keyof typeof PREDEPLOYS)[]

async function placeImplementations(options: L2PredeployOptions): Promise<void> {
  const { session, chain, contracts } = options
  const args = constructorArguments(options)
  for (const name of IMPLEMENTED) {
    const proxy = PREDEPLOYS[name]
    const implementation = implementationAddress(proxy)
    const built = await runConstructor(chain, concatBytes(contracts.artifact(name).bytecode, args[name] ?? new Uint8Array(0)))
    session.place(implementation, { code: built.code, storage: built.storage })
    session.place(proxy, { storage: [[IMPLEMENTATION_SLOT, addressWord(implementation)]] })
  }
  session.place(PREDEPLOYS.WETH, { code: contracts.artifact('WETH').deployedBytecode })
}

async function initialise({ session, chain, l1, admin }: L2PredeployOptions): Promise<void> {
  const tell = (to: Address, signature: string, address: Address) => session.call(admin, to, encodeCall(signature, [address]))
  session.place(PREDEPLOYS.ProxyAdmin, { storage: [[0n, addressWord(admin)]] })
  await tell(PREDEPLOYS.L2CrossDomainMessenger, 'initialize(address)', l1.L1CrossDomainMessenger)
  await tell(PREDEPLOYS.L2StandardBridge, 'initialize(address)', l1.L1StandardBridge)
  await tell(PREDEPLOYS.L2ERC721Bridge, 'initialize(address)', l1.L1ERC721Bridge)
  await tell(PREDEPLOYS.OptimismMintableERC20Factory, 'initialize(address)', PREDEPLOYS.L2StandardBridge)
  for (const signature of oracleSwitches(chain.rules)) await session.call(L1_INFO_DEPOSITOR, GAS_PRICE_ORACLE, encodeCall(signature))
}

function oracleSwitches(rules: BlockRules): readonly string[] {
  if (rules.l1InfoFormat === 'bedrock') return []
  return rules.l1Cost === 'fastlz' ? ['setEcotone()', 'setFjord()'] : ['setEcotone()']
}

async function runUpgrades({ session, contracts, fork }: L2PredeployOptions): Promise<void> {
  if (!forksUpTo(fork).includes(contracts.fork)) return
  const before = forksUpTo(contracts.fork)
  const times: ForkTimes = Object.fromEntries(
    forksUpTo(fork)
      .slice(1)
      .map((name) => [name, before.includes(name) ? 0 : 1]),
  )
  for (const raw of createForkSchedule({ times }).transition(l2Time(0), l2Time(1)).upgradeTransactions) {
    const tx = decodeTransaction(raw)
    if (!isDeposit(tx)) throw new GenesisError('node/genesis-execution', `upgrade transaction ${tx.hash} is not a deposit`)
    const sender = toAddress(tx.from)
    if (tx.to !== null) {
      await session.call(sender, toAddress(tx.to), tx.data, { gas: tx.gasLimit })
      continue
    }
    const created = await session.create(sender, tx.data, tx.gasLimit)
    assertCodeHash(sender, created, keccak256Hash(session.code(created)))
  }
}

function assertCodeHash(sender: Address, created: Address, codeHash: Hash): void {
  const stated = UPGRADE_CODE_HASHES[sender]
  if (stated !== undefined && stated !== codeHash) {
    throw new GenesisError(
      'node/genesis-code-hash',
      `${created}, deployed by ${sender}, has code hash ${codeHash}; the specification states ${stated}`,
    )
  }
}

function placePreinstalls({ session, chain, contracts }: L2PredeployOptions): void {
  for (const { name, address, code } of contracts.preinstalls(chain.chainId)) {
    if (name === BEACON_ROOTS_NAME && !chain.rules.parentBeaconRoot) continue
    session.place(address, { code, nonce: 1n })
    if (name === BEACON_ROOTS_NAME) session.place(BEACON_ROOTS_DEPLOYER, { nonce: 1n })
  }
}
