import { type L1Rollup, readChannel } from '@keelson/apps/index'
import type { RollupConfig } from '@keelson/chainspec'
import { type Address, inclusionTime } from '@keelson/primitives'
import { decompress } from '../../crypto/compression.ts'

const UNKNOWN: L1Rollup['senders'] = { messenger: null, standardBridge: null }

/** `batchers` are former or later ones than that of genesis. */
export function l1RollupOf(config: RollupConfig, batchers: readonly Address[] = [], senders = UNKNOWN): L1Rollup {
  const { genesis, blockTimeSec, forks } = config
  const geometry = { genesisNumber: genesis.l2.number, genesisTimeSec: genesis.l2TimestampSec, blockTimeSec }
  return {
    inbox: config.batchInbox,
    portal: config.depositContract,
    batchers: new Set([genesis.systemConfig.batcherAddress, ...batchers]),
    senders,
    channelTimeoutBlocks: config.channelTimeoutL1Blocks,
    readChannel: (data, block) => readChannel(data, forks.inclusionRules(inclusionTime(block)), geometry, { decompress }),
  }
}
