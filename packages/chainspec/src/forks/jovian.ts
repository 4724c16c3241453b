/** Minimum base fee, the limit on data footprint, a new operator fee formula. specs: protocol/jovian/ */
import type { ForkDefinition } from '../rules.ts'
import { JOVIAN_UPGRADE_TRANSACTIONS } from './upgrade-transactions/jovian.generated.ts'

export const jovian: ForkDefinition = {
  name: 'jovian',
  block: {
    l1InfoFormat: 'jovian',
    operatorFee: 'hundreds',
    extraDataVersion: 1,
    minBaseFee: true,
    daFootprint: true,
    precompileInputLimits: { bn256Pairing: 81_984, blsG1Msm: 288_960, blsG2Msm: 278_784, blsPairing: 156_672 },
  },
  upgradeTransactions: JOVIAN_UPGRADE_TRANSACTIONS,
  userTransactionsInActivationBlock: false,
}
