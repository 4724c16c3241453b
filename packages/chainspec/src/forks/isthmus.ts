/** Prague, the operator fee, the message passer's root in the header. specs: protocol/isthmus/ */
import type { ForkDefinition } from '../rules.ts'
import { ISTHMUS_UPGRADE_TRANSACTIONS } from './upgrade-transactions/isthmus.generated.ts'

export const isthmus: ForkDefinition = {
  name: 'isthmus',
  block: {
    ethFork: 'prague',
    l1InfoFormat: 'isthmus',
    operatorFee: 'millionths',
    withdrawals: 'storage-root',
    requests: 'empty',
    historyContract: true,
    setCodeTransactions: true,
    precompileInputLimits: { bn256Pairing: 112_687, blsG1Msm: 513_760, blsG2Msm: 488_448, blsPairing: 235_008 },
  },
  upgradeTransactions: ISTHMUS_UPGRADE_TRANSACTIONS,
}
