import { join } from 'node:path'
import type { RollupConfig } from '@keelson/chainspec'
import { createBlockValidator, createLibp2pGossip, type DegradedStates, type UnsafeGossip } from '@keelson/consensus'
import { l2Time } from '@keelson/primitives'
import { type LevelStore, loadNodeKey } from '@keelson/runtime'
import type { UnsafeBlockSigner } from '../../l1/unsafe-block-signer.ts'
import type { Role } from '../../role/role.ts'
import type { ConsensusValues } from './options.ts'
import { p2pSettings } from './p2p-options.ts'
import type { Sequencing } from './sequencer-options.ts'

interface GossipParts {
  readonly config: RollupConfig
  readonly signer: Pick<UnsafeBlockSigner, 'current'>
  readonly sequencing: Pick<Sequencing, 'signer'>
  readonly store: LevelStore
  readonly degraded: DegradedStates
}

export async function openGossip(
  values: ConsensusValues,
  parts: GossipParts,
  { crypto, clock, log, metrics }: Role,
): Promise<UnsafeGossip> {
  const { config, signer, sequencing, store, degraded } = parts
  const validator = createBlockValidator({
    chainId: config.l2ChainId,
    signer: signer.current,
    nowMs: clock.nowMs,
    unsupportedFork: config.firstUnsupportedFork,
    usesBlobGasField: (timestampSec) => config.forks.blockRules(l2Time(timestampSec)).daFootprint,
    crypto,
  })
  return createLibp2pGossip(
    {
      chainId: config.l2ChainId,
      blockTimeMs: config.blockTimeSec * 1000,
      nodeKey: await loadNodeKey(join(values.dataDir, 'node.key')),
      ...p2pSettings(values),
    },
    { validator, signer: sequencing.signer, store, crypto, clock, log, degraded, metrics },
  )
}
