/** Shorter channel timeout, bounded bn256 pairing input. specs: protocol/granite/ */
import type { ForkDefinition } from '../rules.ts'

export const granite: ForkDefinition = {
  name: 'granite',
  inclusion: { channelTimeoutL1Blocks: 50 },
  block: { precompileInputLimits: { bn256Pairing: 112_687, blsG1Msm: null, blsG2Msm: null, blsPairing: null } },
}
