/** Brotli channels and larger limits, constant sequencer drift, FastLZ L1 cost, P256VERIFY. specs: protocol/fjord/ */
import type { ForkDefinition } from '../rules.ts'
import { FJORD_UPGRADE_TRANSACTIONS } from './upgrade-transactions/fjord.generated.ts'

export const fjord: ForkDefinition = {
  name: 'fjord',
  inclusion: { brotliChannels: true, maxChannelBankBytes: 1_000_000_000, maxRlpBytesPerChannel: 100_000_000 },
  origin: { maxSequencerDriftSec: 1800 },
  block: { l1Cost: 'fastlz', p256VerifyGas: 3450n },
  upgradeTransactions: FJORD_UPGRADE_TRANSACTIONS,
}
