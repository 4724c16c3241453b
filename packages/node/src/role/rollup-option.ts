import { join } from 'node:path'
import { type RollupConfig, warnOfUnsupportedFork } from '@keelson/chainspec'
import { replacedBundleWarnings } from '@keelson/devnet/network-files'
import type { Clock, Logger } from '@keelson/primitives'
import { type OptionValues, option, optionParsers as parse } from '@keelson/runtime'
import { describeForkTimes } from '../fork-times/describe-fork-times.ts'
import { FORK_TIMES_FILE } from '../fork-times/fork-times-file.ts'
import { type ReadRollup, readRollup } from '../fork-times/read-rollup.ts'
import { networkOption } from '../networks/network-option.ts'

export const allowSameChainIdOption = option({
  key: 'allowSameChainId',
  parse: parse.toggle,
  default: false,
  description: 'Accept a rollup.json in which L1 and L2 have one chain id: transactions of one can be replayed on the other.',
})

export const rollupOptions = {
  network: networkOption(),
  allowSameChainId: allowSameChainIdOption,
} as const

type RollupValues = OptionValues<typeof rollupOptions> & { readonly dataDir?: string | null }

/** Logs risky configurations. Throws AssemblyError `node/usage`, ChainspecError `chainspec/rollup-config`. */
export function openRollupConfig(values: RollupValues, log: Logger, clock: Pick<Clock, 'nowMs'>): RollupConfig {
  return openRollup(values, log, clock).config
}

/** With the newer fork times of the data directory, which other threads need too. Logs and throws as openRollupConfig. */
export function openRollup(values: RollupValues, log: Logger, clock: Pick<Clock, 'nowMs'>): ReadRollup {
  const { network, allowSameChainId, dataDir = null } = values
  const read = readRollup({ network, allowSameChainId, dataDir }, Math.floor(clock.nowMs() / 1000))
  const { config, newer } = read
  if (newer !== null) {
    log.warn('uses newer fork times than those of this release', { file: join(dataDir as string, FORK_TIMES_FILE), network: newer.network })
    for (const line of describeForkTimes(newer)) log.warn(`newer fork time: ${line}`)
  }
  if (config.l1ChainId === config.l2ChainId) {
    log.warn('L1 and L2 have the same chain id: a transaction signed for one can be replayed on the other; use no key on both', {
      chainId: config.l2ChainId.toString(),
    })
  }
  const forkWarning = warnOfUnsupportedFork(config, Math.floor(clock.nowMs() / 1000))
  if (forkWarning !== null) log.warn(forkWarning)
  for (const line of replacedBundleWarnings(values.network)) log.warn(line)
  return read
}
