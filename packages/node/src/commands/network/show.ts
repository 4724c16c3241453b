import { createSystemClock, option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { describeNetwork } from '../../networks/describe-network.ts'
import { networkArgument } from '../../networks/network-argument.ts'

export const networkShowCommand = defineCommand({
  name: 'network show',
  summary: 'chain, forks, addresses and source of a network',
  usage: 'NETWORK [--data-dir FOLDER,...]',
  options: {
    dataDir: option({
      key: 'dataDir',
      parse: parse.list(parse.path),
      default: [],
      description: 'Data folders of roles, whose newer fork times (keelson network update) are shown too.',
    }),
  },
  takesArguments: true,
  checkArguments: (positional) => void networkArgument('network show', positional),
  async run({ dataDir }, { positional }) {
    const nowSec = Math.floor(createSystemClock().nowMs() / 1000)
    for (const line of describeNetwork(networkArgument('network show', positional), nowSec, dataDir)) console.log(line)
    return 0
  },
})
