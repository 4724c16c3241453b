/**
 * The part of Osaka that concerns a rollup; upgrade transactions come as a bundle, with gas of their
 * own. specs: protocol/karst/, protocol/l2-upgrades-1-execution.md
 */
import type { ForkDefinition } from '../rules.ts'

export const karst: ForkDefinition = {
  name: 'karst',
  block: {
    ethFork: 'osaka',
    maxTransactionGas: 16_777_216n,
    p256VerifyGas: 6900n,
    precompileInputLimits: { bn256Pairing: 57_600, blsG1Msm: 288_960, blsG2Msm: 278_784, blsPairing: 156_672 },
  },
  userTransactionsInActivationBlock: false,
  needsUpgradeBundle: true,
}
