/**
 * Osaka's EVM and a bundle of upgrade transactions with additional gas. specs: protocol/karst/,
 * protocol/l2-upgrades-1-execution.md. `karst_nut_bundle.json` is an exact copy of the official bundle: op-core/nuts/bundles/ in
 * ethereum-optimism/optimism (MIT); fork_lock.toml there states its sha256. EIP-7934 does not apply: L2 blocks have no size limit
 * (op-acceptance-tests/tests/osaka_on_l2_test.go).
 */
import type { ForkDefinition, UpgradeBundle } from '../rules.ts'
import { loadUpgradeBundle } from '../upgrade-bundle.ts'
import document from './upgrade-transactions/karst_nut_bundle.json' with { type: 'json' }

/** Decoded on first use. */
let bundle: UpgradeBundle | null = null

export const karst: ForkDefinition = {
  name: 'karst',
  block: {
    ethFork: 'osaka',
    maxTransactionGas: 16_777_216n,
    p256VerifyGas: 6900n,
    precompileInputLimits: { bn256Pairing: 57_600, blsG1Msm: 288_960, blsG2Msm: 278_784, blsPairing: 156_672 },
  },
  userTransactionsInActivationBlock: false,
  upgradeBundle() {
    bundle ??= loadUpgradeBundle('karst', document)
    return bundle
  },
}
