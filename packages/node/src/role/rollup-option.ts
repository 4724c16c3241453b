import { type RollupConfig, warnOfUnsupportedFork } from '@keelson/chainspec'
import { readRollupConfig, replacedBundleWarnings } from '@keelson/devnet/network-files'
import type { Clock, Logger } from '@keelson/primitives'
import { type OptionValues, option, optionParsers as parse } from '@keelson/runtime'
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

/** Logs risky configurations. Throws AssemblyError `node/usage`, ChainspecError `chainspec/rollup-config`. */
export function openRollupConfig(values: OptionValues<typeof rollupOptions>, log: Logger, clock: Pick<Clock, 'nowMs'>): RollupConfig {
  const config = readRollupConfig(values.network, { allowSameChainId: values.allowSameChainId })
  if (config.l1ChainId === config.l2ChainId) {
    log.warn('L1 and L2 have the same chain id: a transaction signed for one can be replayed on the other; use no key on both', {
      chainId: config.l2ChainId.toString(),
    })
  }
  const forkWarning = warnOfUnsupportedFork(config, Math.floor(clock.nowMs() / 1000))
  if (forkWarning !== null) log.warn(forkWarning)
  for (const line of replacedBundleWarnings(values.network)) log.warn(line)
  return config
}
