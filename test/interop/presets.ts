/** The op-node of 2024-10 supports derivation up to Granite; under Holocene it exits at any past batch. kona supports Jovian. */
import type { Preset } from './row.ts'
import { opBatches, ourBatcherOnForeign, ourBatches } from './rows/batches.ts'
import { throughForks } from './rows/crossing.ts'
import { engineAnswers, samePayload } from './rows/engine-api.ts'
import { byGossip, fromL1Alone, gossipAndDerivation, sameGenesis } from './rows/following.ts'
import { l1Reorg } from './rows/l1-reorg.ts'
import { opNodeAsksOurs, oursAsksOpNode, oursWithKona, safeAgain } from './rows/payload-requests.ts'
import { opProposerOnOurs, ourProposerOnOpNode } from './rows/proposals.ts'
import { methodsPresent, p2pShapes, rollupShapes, rollupValues } from './rows/rpc-shapes.ts'
import { asSequencer } from './rows/sequencing.ts'

const FAST = ['--l1.block-time-sec', '2', '--sequencer.l1-confirmations', '2', '--batcher.max-channel-duration', '1']

export const PRESETS: readonly Preset[] = [
  {
    name: 'granite',
    devnet: ['--fork', 'granite', '--l1.fork', 'cancun', ...FAST],
    rows: [
      sameGenesis('ours on op-geth'),
      fromL1Alone('ours on op-geth'),
      fromL1Alone('op-node on ours'),
      fromL1Alone('op-node on op-geth'),
      ...ourBatches('op-node on ours'),
      ...opBatches,
      byGossip('ours on op-geth'),
      byGossip('op-node on ours'),
      rollupShapes,
      rollupValues,
      p2pShapes,
      methodsPresent,
      opNodeAsksOurs,
      oursAsksOpNode,
      safeAgain,
      ourBatcherOnForeign,
      opProposerOnOurs,
      ourProposerOnOpNode,
      asSequencer('ours on op-geth'),
      asSequencer('op-node on ours'),
      asSequencer('op-node on op-geth'),
      engineAnswers,
      samePayload,
      l1Reorg('op-node'),
    ],
  },
  {
    name: 'holocene',
    devnet: ['--fork', 'holocene', '--l1.fork', 'cancun', ...FAST],
    rows: [
      sameGenesis('ours on op-geth'),
      fromL1Alone('ours on op-geth'),
      byGossip('ours on op-geth'),
      gossipAndDerivation('op-node on ours', 'standby sequencer'),
      asSequencer('op-node on ours'),
      asSequencer('ours on op-geth'),
      ...opBatches,
      engineAnswers,
      samePayload,
    ],
  },
  {
    name: 'jovian',
    devnet: ['--fork', 'jovian', ...FAST],
    rows: [
      gossipAndDerivation('kona-node on ours', 'follower'),
      ...ourBatches('kona-node on ours'),
      oursWithKona,
      asSequencer('kona-node on ours'),
      l1Reorg('kona-node'),
    ],
  },
  {
    name: 'crossing',
    devnet: FAST,
    crossing: { from: 'delta', l1Fork: 'cancun', forksAfterSec: { ecotone: 60, fjord: 90, granite: 110, holocene: 130 } },
    rows: [
      throughForks('ours on op-geth', 'gossip', 'Ecotone, Fjord, Granite and Holocene'),
      throughForks('op-node on ours', 'L1 alone', 'Ecotone, Fjord, Granite and Holocene'),
      ...opBatches.slice(-1),
    ],
  },
  {
    name: 'crossing-kona',
    devnet: FAST,
    crossing: { from: 'fjord', l1Fork: 'prague', forksAfterSec: { granite: 70, holocene: 90, isthmus: 120, jovian: 150 } },
    rows: [
      throughForks('kona-node on ours', 'gossip', 'Granite, Holocene, Isthmus and Jovian'),
      ...ourBatches('kona-node on ours').slice(-1),
      asSequencer('kona-node on ours'),
    ],
  },
]
