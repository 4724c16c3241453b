/**
 * The networks of a run. The op-node of 2024-10 derives whole up to Granite; at Holocene it checks batches by the new
 * rules in the old stage and ends itself at any batch from the past, so there it is started once, from the genesis,
 * and never again. kona knows Jovian.
 */
import type { Preset } from './row.ts'
import { opBatches, ourBatches } from './rows/batches.ts'
import { throughForks } from './rows/crossing.ts'
import { byGossip, fromL1Alone, gossipAndDerivation } from './rows/following.ts'
import { l1Reorg } from './rows/l1-reorg.ts'
import { opNodeAsksOurs, oursAsksOpNode, safeAgain } from './rows/payload-requests.ts'
import { asSequencer } from './rows/sequencing.ts'

const FAST = ['--l1.block-time-sec', '2', '--sequencer.l1-confirmations', '2', '--batcher.max-channel-duration', '1']

export const PRESETS: readonly Preset[] = [
  {
    name: 'granite',
    devnet: ['--fork', 'granite', '--l1.fork', 'cancun', ...FAST],
    rows: [
      fromL1Alone('ours on op-geth', 'op-geth'),
      fromL1Alone('op-node on ours', 'op-node'),
      ...ourBatches('op-node on ours', 'op-node'),
      ...opBatches,
      byGossip('ours on op-geth', 'op-geth'),
      byGossip('op-node on ours', 'op-node'),
      opNodeAsksOurs,
      oursAsksOpNode,
      safeAgain,
      asSequencer('ours on op-geth', 'op-geth'),
      asSequencer('op-node on ours', 'op-node'),
      l1Reorg,
    ],
  },
  {
    name: 'holocene',
    devnet: ['--fork', 'holocene', '--l1.fork', 'cancun', ...FAST],
    rows: [
      fromL1Alone('ours on op-geth', 'op-geth'),
      byGossip('ours on op-geth', 'op-geth'),
      gossipAndDerivation('op-node on ours', 'op-node', 'standby sequencer'),
      asSequencer('op-node on ours', 'op-node'),
      asSequencer('ours on op-geth', 'op-geth'),
      ...opBatches,
    ],
  },
  {
    name: 'jovian',
    devnet: ['--fork', 'jovian', ...FAST],
    rows: [
      gossipAndDerivation('kona-node on ours', 'kona-node', 'follower'),
      ...ourBatches('kona-node on ours', 'kona-node'),
      asSequencer('kona-node on ours', 'kona-node'),
    ],
  },
  {
    name: 'crossing',
    devnet: FAST,
    crossing: { from: 'delta', forksAfterSec: { ecotone: 60, fjord: 90, granite: 110, holocene: 130 } },
    rows: [
      throughForks('ours on op-geth', 'op-geth', 'gossip'),
      throughForks('op-node on ours', 'op-node', 'L1 alone'),
      ...opBatches.slice(-1),
    ],
  },
]
