/**
 * op-node's profile `light`, scaled by the block time. Peers need not deliver blocks, because a sequencer receives none and only
 * one block topic is in use at a time. specs: protocol/rollup-node-p2p.md#block-topic-scoring-parameters
 */
import type { PeerScoreParams, PeerScoreThresholds } from '@chainsafe/libp2p-gossipsub/score'
import { DECAYED, scoreDecay } from '../peers/score-decay.ts'

export const SCORE_THRESHOLDS: PeerScoreThresholds = {
  gossipThreshold: -10,
  publishThreshold: -40,
  graylistThreshold: -40,
  acceptPXThreshold: 20,
  opportunisticGraftThreshold: 0.05,
}

const HOUR_MS = 3_600_000
const MAX_SCORE_FOR_TIME_IN_MESH = 10
const EPOCH_BLOCKS = 6
const LOOPBACK = ['127.0.0.1', '::1']
const PEERS_AT_ONE_ADDRESS = 10

/** Returns the penalty before its weight is applied. */
export function colocationFactor(peers: number): number {
  return Math.max(0, peers - PEERS_AT_ONE_ADDRESS) ** 2
}

export interface ScoredTopics {
  readonly topics: readonly string[]
  readonly quietTopics: readonly string[]
}

/**
 * A quiet topic has bursts, and not every peer has it, so its mesh gives no score. One bad message mutes a peer for a while, a
 * second disconnects it.
 */
export function scoreParams(
  { topics, quietTopics }: ScoredTopics,
  blockTimeMs: number,
  applicationScore: (peerId: string) => number,
): PeerScoreParams {
  const meshTimeCap = HOUR_MS / blockTimeMs
  const topic = {
    topicWeight: 0.8,
    timeInMeshWeight: MAX_SCORE_FOR_TIME_IN_MESH / meshTimeCap,
    timeInMeshQuantum: blockTimeMs,
    timeInMeshCap: meshTimeCap,
    firstMessageDeliveriesWeight: 1,
    firstMessageDeliveriesDecay: scoreDecay(20 * EPOCH_BLOCKS),
    firstMessageDeliveriesCap: 23,
    meshMessageDeliveriesWeight: 0,
    meshMessageDeliveriesDecay: scoreDecay(5 * EPOCH_BLOCKS),
    meshMessageDeliveriesCap: 5 * EPOCH_BLOCKS,
    meshMessageDeliveriesThreshold: (5 * EPOCH_BLOCKS) / 10,
    meshMessageDeliveriesWindow: 2_000,
    meshMessageDeliveriesActivation: 4 * EPOCH_BLOCKS * blockTimeMs,
    meshFailurePenaltyWeight: 0,
    meshFailurePenaltyDecay: scoreDecay(5 * EPOCH_BLOCKS),
    invalidMessageDeliveriesWeight: -140.4475,
    invalidMessageDeliveriesDecay: scoreDecay(50 * EPOCH_BLOCKS),
  }
  const quiet = { ...topic, topicWeight: 0.2, timeInMeshWeight: 0, firstMessageDeliveriesWeight: 0.5 }
  return {
    topics: Object.fromEntries([...topics.map((name) => [name, topic] as const), ...quietTopics.map((name) => [name, quiet] as const)]),
    topicScoreCap: 34,
    appSpecificScore: applicationScore,
    appSpecificWeight: 1,
    IPColocationFactorWeight: -35,
    IPColocationFactorThreshold: PEERS_AT_ONE_ADDRESS,
    IPColocationFactorWhitelist: new Set(LOOPBACK),
    behaviourPenaltyWeight: -16,
    behaviourPenaltyThreshold: 6,
    behaviourPenaltyDecay: scoreDecay(10 * EPOCH_BLOCKS),
    decayInterval: blockTimeMs,
    decayToZero: DECAYED,
    retainScore: 100 * EPOCH_BLOCKS * blockTimeMs,
  }
}
