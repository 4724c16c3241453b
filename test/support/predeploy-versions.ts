/**
 * Before Karst: packages/contracts/artifacts and upgrade transactions up to Jovian. After it: `@custom:semver` in
 * ethereum-optimism/optimism packages/contracts-bedrock at f2e5bfe4a502788d33d7914d2d5cd42793c0bce5.
 */
import { decodeParameters, encodeCall, PREDEPLOYS } from '@keelson/contracts'
import type { Address } from '@keelson/primitives'

/** Null without an implementation or `version()`. */
export type PredeployVersions = Readonly<Partial<Record<keyof typeof PREDEPLOYS, string | null>>>

export const VERSIONS_AT_JOVIAN: PredeployVersions = {
  L2CrossDomainMessenger: '2.1.0',
  GasPriceOracle: '1.6.0',
  L2StandardBridge: '1.10.0',
  SequencerFeeVault: '1.4.1',
  OptimismMintableERC20Factory: '1.9.0',
  L2ERC721Bridge: '1.7.0',
  L1Block: '1.7.0',
  L2ToL1MessagePasser: '1.1.0',
  OptimismMintableERC721Factory: '1.4.0',
  ProxyAdmin: null,
  BaseFeeVault: '1.4.1',
  L1FeeVault: '1.4.1',
  OperatorFeeVault: '1.0.0',
  SchemaRegistry: '1.3.0',
  EAS: '1.4.0',
  ConditionalDeployer: null,
  L2DevFeatureFlags: null,
}

export const VERSIONS_AT_KARST: PredeployVersions = {
  L2CrossDomainMessenger: '2.2.1',
  GasPriceOracle: '1.6.0',
  L2StandardBridge: '1.13.2',
  SequencerFeeVault: '1.6.1',
  OptimismMintableERC20Factory: '1.11.0',
  L2ERC721Bridge: '1.10.1',
  L1Block: '1.9.0',
  L2ToL1MessagePasser: '1.2.0',
  OptimismMintableERC721Factory: '1.5.1',
  ProxyAdmin: '1.0.0',
  BaseFeeVault: '1.6.1',
  L1FeeVault: '1.6.1',
  OperatorFeeVault: '1.1.1',
  SchemaRegistry: '1.3.1-beta.2',
  EAS: '1.4.1-beta.3',
  ConditionalDeployer: '1.0.0',
  L2DevFeatureFlags: '1.0.0',
}

/**
 * The bundle of Lagoon replaces these; their sources are those of its `commit` in ethereum-optimism/optimism
 * op-core/nuts/fork_lock.toml. A test compares the texts with the creation code in the bundle.
 */
export const NEW_AT_LAGOON = {
  SequencerFeeVault: '1.7.0',
  ProxyAdmin: '1.1.0',
  BaseFeeVault: '1.7.0',
  L1FeeVault: '1.7.0',
  OperatorFeeVault: '1.2.0',
  L2DevFeatureFlags: '1.3.0',
} as const

export const VERSIONS_AT_LAGOON: PredeployVersions = { ...VERSIONS_AT_KARST, ...NEW_AT_LAGOON }

/** A node's text, and that of a proxy without implementation in a genesis session. */
const REVERTED = /execution reverted|Proxy: implementation not initialized/

export async function readPredeployVersions(call: (to: Address, data: Uint8Array) => Promise<Uint8Array>): Promise<PredeployVersions> {
  const versions: Partial<Record<keyof typeof PREDEPLOYS, string | null>> = {}
  for (const name of Object.keys(VERSIONS_AT_KARST) as (keyof typeof PREDEPLOYS)[]) {
    const answer = await call(PREDEPLOYS[name], encodeCall('version()')).catch((error: unknown) => {
      if (error instanceof Error && REVERTED.test(error.message)) return new Uint8Array(0)
      throw error
    })
    versions[name] = answer.length === 0 ? null : (decodeParameters('string', answer)[0] as string)
  }
  return versions
}
