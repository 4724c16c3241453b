/** A network's defaults replace the program's defaults; given options replace both. */

import { readPublicNetwork } from '@keelson/devnet/network-files'
import { type OptionDefaults, type OptionSet, type OptionSources, OptionsError, resolveOptions } from '@keelson/runtime'

export function networkDefaults(folder: string): Readonly<Record<string, unknown>> {
  const network = readPublicNetwork(folder)
  if (network === null) return {}
  return {
    ...(network.sequencerRpc === null ? {} : { 'sequencer.rpc': network.sequencerRpc }),
    ...(network.bootnodes.length === 0 ? {} : { 'p2p.bootnodes': network.bootnodes, 'p2p.host': '0.0.0.0' }),
  }
}

export function findNetworkDefaults(options: OptionSet, sources: OptionSources): OptionDefaults | null {
  const network = options.network
  if (network === undefined || network.key !== 'network') return null
  const { network: flag } = sources.flags ?? {}
  try {
    const files = (sources.files ?? []).flatMap(({ path, values }) =>
      Object.hasOwn(values, 'network') ? [{ path, values: { network: values.network } }] : [],
    )
    const only = resolveOptions({ network }, { files, env: sources.env ?? {}, flags: flag === undefined ? {} : { network: flag } })
    const folder = only.values.network as string | null
    if (folder === null) return null
    const keys = new Set(Object.values(options).map(({ key }) => key))
    const values = Object.entries(networkDefaults(folder)).filter(([key]) => keys.has(key))
    return { source: 'network', from: `the network in ${folder}`, values: Object.fromEntries(values) }
  } catch (error) {
    // The caller reports this mistake.
    if (error instanceof OptionsError) return null
    throw error
  }
}
