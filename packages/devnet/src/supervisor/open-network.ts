import { join } from 'node:path'
import type { ForkSchedule } from '@keelson/chainspec'
import type { Clock } from '@keelson/primitives'
import { createSystemClock } from '@keelson/runtime'
import { type NetworkTime, openNetworkTime } from '../clocks/network-clock.ts'
import { DevnetError } from '../devnet-error.ts'
import type { DevnetGenesis } from '../genesis/devnet/build-devnet-genesis.ts'
import { restoreAnvilDump } from '../l1/anvil.ts'
import { hasNetwork, readRollupConfig } from '../network-files/network-files.ts'
import type { KeyFormats } from '../prepare/key-formats.ts'
import { makeSecrets } from '../prepare/make-secrets.ts'
import { prepareNetwork } from '../prepare/prepare-network.ts'
import { makeTradingWallet } from '../prepare/trading-wallet.ts'
import type { DevnetPaths } from '../roles/devnet-paths.ts'
import type { NetworkEnvironment, NetworkSettings } from './network-settings.ts'

export interface OpenNetwork {
  readonly time: NetworkTime
  readonly networkClock: Clock
  readonly genesis: DevnetGenesis
  readonly forks: ForkSchedule
  readonly genesisState: string
  readonly sequencerPeerId: string | null
  readonly standbyPeerId: string | null
}

/** Throws the errors of prepareNetwork. */
export async function openNetwork(
  settings: NetworkSettings,
  paths: DevnetPaths,
  { clock, engine, keyFormats }: Pick<NetworkEnvironment, 'clock' | 'engine' | 'keyFormats'>,
): Promise<OpenNetwork> {
  const time = openNetworkTime(paths.folder, clock.nowMs, {
    firstStart: !hasNetwork(paths.network),
    keepClock: settings.keepClock,
  })
  const networkClock = createSystemClock({ offsetMs: time.offsetMs })
  const genesis = await prepareNetwork(paths.network, settings, networkClock.nowMs(), engine)
  const { forks, blockTimeSec } = readRollupConfig(paths.network, { allowSameChainId: settings.allowSameChainId })
  // Each L2 block can advance by one L1 block only.
  if (blockTimeSec > settings.l1BlockTimeSec) {
    throw new DevnetError(
      'node/usage',
      `L2 has a block every ${blockTimeSec} s, and L1 every ${settings.l1BlockTimeSec} s, so that L2 would fall behind: add --l1.block-time-sec ${blockTimeSec}`,
    )
  }
  const genesisState = join(paths.network, 'anvil-genesis-state.json')
  await restoreAnvilDump(paths.l1, genesisState)
  await makeSecrets(paths, keyFormats)
  await makeTradingWallet(paths.platform, Number(genesis.parameters.l2ChainId), keyFormats)
  // The sequencer needs its node key even without gossip.
  const sequencerPeerId = await peerIdOf(paths.sequencer, keyFormats)
  return {
    time,
    networkClock,
    genesis,
    forks,
    genesisState,
    sequencerPeerId: settings.p2p ? sequencerPeerId : null,
    standbyPeerId: settings.sequencers === 1 ? null : await peerIdOf(paths.standby, keyFormats),
  }
}

async function peerIdOf(dataDir: string, formats: KeyFormats): Promise<string> {
  return formats.peerIdOfNodeKey(await formats.loadNodeKey(join(dataDir, 'consensus', 'node.key')))
}
