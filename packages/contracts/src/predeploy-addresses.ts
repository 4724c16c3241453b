/** Addresses with code at L2 genesis. specs: protocol/predeploys.md, protocol/preinstalls.md */
import {
  type Address,
  BASE_FEE_VAULT,
  GAS_PRICE_ORACLE,
  L1_BLOCK,
  L1_FEE_VAULT,
  L2_CROSS_DOMAIN_MESSENGER,
  L2_STANDARD_BRIDGE,
  L2_TO_L1_MESSAGE_PASSER,
  OPERATOR_FEE_VAULT,
  PROXY_ADMIN,
  SEQUENCER_FEE_VAULT,
  toAddress,
} from '@keelson/primitives'

export const PREDEPLOY_COUNT = 2048

export function predeployAddress(index: number): Address {
  return toAddress(`0x42${index.toString(16).padStart(38, '0')}`)
}

export function implementationAddress(predeploy: Address): Address {
  return toAddress(`0xc0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d3${predeploy.slice(-4)}`)
}

export const PREDEPLOYS = {
  LegacyMessagePasser: predeployAddress(0x00),
  DeployerWhitelist: predeployAddress(0x02),
  WETH: predeployAddress(0x06),
  L2CrossDomainMessenger: L2_CROSS_DOMAIN_MESSENGER,
  GasPriceOracle: GAS_PRICE_ORACLE,
  L2StandardBridge: L2_STANDARD_BRIDGE,
  SequencerFeeVault: SEQUENCER_FEE_VAULT,
  OptimismMintableERC20Factory: predeployAddress(0x12),
  L1BlockNumber: predeployAddress(0x13),
  L2ERC721Bridge: predeployAddress(0x14),
  L1Block: L1_BLOCK,
  L2ToL1MessagePasser: L2_TO_L1_MESSAGE_PASSER,
  OptimismMintableERC721Factory: predeployAddress(0x17),
  ProxyAdmin: PROXY_ADMIN,
  BaseFeeVault: BASE_FEE_VAULT,
  L1FeeVault: L1_FEE_VAULT,
  OperatorFeeVault: OPERATOR_FEE_VAULT,
  SchemaRegistry: predeployAddress(0x20),
  EAS: predeployAddress(0x21),
  /** specs: protocol/l2-upgrades-2-contracts.md */
  ConditionalDeployer: predeployAddress(0x2c),
  L2DevFeatureFlags: predeployAddress(0x2d),
  GovernanceToken: predeployAddress(0x42),
} as const satisfies Record<string, Address>

/** Third-party contracts at the same address on every chain. */
export const PREINSTALLS = {
  MultiCall3: toAddress('0xca11bde05977b3631167028862be2a173976ca11'),
  Create2Deployer: toAddress('0x13b0d85ccb8bf860b6b79af3029fca081ae9bef2'),
  CreateX: toAddress('0xba5ed099633d3b313e4d5f7bdc1305d3c28ba5ed'),
  DeterministicDeploymentProxy: toAddress('0x4e59b44847b379578588920ca78fbf26c0b4956c'),
  SafeSingletonFactory: toAddress('0x914d7fec6aac8cd542e72bca78b30650d45643d7'),
  Safe_v130: toAddress('0x69f4d1788e39c87893c980c06edf4b7f686e2938'),
  SafeL2_v130: toAddress('0xfb1bffc9d739b8d520daf37df666da4c687191ea'),
  MultiSend_v130: toAddress('0x998739bfdaadde7c933b942a68053933098f9eda'),
  MultiSendCallOnly_v130: toAddress('0xa1dabef33b3b82c7814b6d82a79e50f4ac44102b'),
  Permit2: toAddress('0x000000000022d473030f116ddee9f6b43ac78ba3'),
  EntryPoint_v060: toAddress('0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789'),
  SenderCreator_v060: toAddress('0x7fc98430eaedbb6070b35b39d798725049088348'),
  EntryPoint_v070: toAddress('0x0000000071727de22e5e9d8baf0edac6f37da032'),
  SenderCreator_v070: toAddress('0xefc2c1444ebcc4db75e7613d20c6a62ff67a167c'),
} as const satisfies Record<string, Address>

/** Its nonce must not be zero where the EIP-4788 contract exists. */
export const BEACON_ROOTS_DEPLOYER = toAddress('0x0b799c86a49deeb90402691f1041aa3af2d3c875')
