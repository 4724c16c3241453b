/** Accepts a shipped network's name or a folder. */
import { type OptionDefinition, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { findNetwork, nameOfShipped, shippedNetworks } from './shipped-networks.ts'

export const parseNetwork = Object.assign(
  (value: unknown): string => {
    const given = parse.text(value)
    const found = findNetwork(given)
    if (found.kind === 'folder') return found.folder
    const name = given.slice(0, 80)
    const meant = found.closest.length === 0 ? '' : `; did you mean ${found.closest.join(' or ')}?`
    throw new parse.OptionValueError(
      `no network has the name "${name}"${meant === '' ? ';' : meant} the networks are ${shippedNetworks().join(', ')}; to name a folder, write ./${name}`,
    )
  },
  {
    placeholder: '<network>',
    schema: parse.text.schema,
    show(folder: string): string {
      const name = nameOfShipped(folder)
      return name === null ? folder : `${name} (${folder})`
    },
  },
)

const DESCRIPTION = 'Name of a public network (keelson network list), or folder with rollup.json, genesis.json and l1-chain.json.'

export function networkOption(description: string = DESCRIPTION): OptionDefinition<string> {
  return option({ key: 'network', parse: parseNetwork, description })
}

export function optionalNetworkOption(description: string): OptionDefinition<string | null> {
  return optionalOption({ key: 'network', parse: parseNetwork, description })
}
