/** Cancun without blob transactions; batches in blobs; packed L1 info. specs: protocol/ecotone/overview.md */
import type { ForkDefinition } from '../rules.ts'
import { ECOTONE_UPGRADE_TRANSACTIONS } from './upgrade-transactions/ecotone.generated.ts'

export const ecotone: ForkDefinition = {
  name: 'ecotone',
  inclusion: { blobs: true, versionedFeeScalars: true },
  block: { ethFork: 'cancun', l1Cost: 'calldata-packed', l1InfoFormat: 'ecotone', blobFields: true, parentBeaconRoot: true },
  upgradeTransactions: ECOTONE_UPGRADE_TRANSACTIONS,
}
