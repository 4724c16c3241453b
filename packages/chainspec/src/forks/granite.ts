/** Shorter channel timeout, bounded bn256 pairing input. specs: protocol/granite/ */
import type { ForkDefinition } from '../rules.ts'

/** Also checked against `granite_channel_timeout` in rollup.json. specs: protocol/granite/derivation.md */
export const GRANITE_CHANNEL_TIMEOUT_L1_BLOCKS = 50

export const granite: ForkDefinition = {
  name: 'granite',
  inclusion: { channelTimeoutL1Blocks: GRANITE_CHANNEL_TIMEOUT_L1_BLOCKS },
  block: { precompileInputLimits: { bn256Pairing: 112_687, blsG1Msm: null, blsG2Msm: null, blsPairing: null } },
}
