import { join } from 'node:path'
import { createSystemClock, option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { NETWORK_COLUMNS, networkRow, table } from '../../networks/describe-network.ts'
import { networksFolder, shippedNetworks } from '../../networks/shipped-networks.ts'

export const networkListCommand = defineCommand({
  name: 'network list',
  summary: 'the public networks that --network takes by name',
  usage: '[--json]',
  options: {
    json: option({
      key: 'network.json',
      flag: 'json',
      parse: parse.toggle,
      default: false,
      description: 'Print one JSON document.',
    }),
  },
  async run({ json }) {
    const nowSec = Math.floor(createSystemClock().nowMs() / 1000)
    const rows = shippedNetworks().map((name) => networkRow(name, join(networksFolder(), name), nowSec))
    if (json) {
      const networks = rows.map(([name, chainId, l1, fork, nextFork, state]) => ({
        name,
        chainId: Number(chainId),
        l1,
        fork,
        nextFork,
        state,
      }))
      console.log(JSON.stringify(networks, null, 2))
    } else for (const line of table([NETWORK_COLUMNS, ...rows])) console.log(line)
    return 0
  },
})
