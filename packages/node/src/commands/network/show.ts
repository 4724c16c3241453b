import { asCalled, createSystemClock } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { describeNetwork } from '../../networks/describe-network.ts'
import { parseNetwork } from '../../networks/network-option.ts'

export const networkShowCommand = defineCommand({
  name: 'network show',
  summary: 'chain, forks, addresses and source of a network',
  usage: 'NETWORK',
  options: {},
  takesArguments: true,
  checkArguments: (positional) => void folderOf(positional),
  async run(_, { positional }) {
    const nowSec = Math.floor(createSystemClock().nowMs() / 1000)
    for (const line of describeNetwork(folderOf(positional), nowSec)) console.log(line)
    return 0
  },
})

function folderOf(positional: readonly string[]): string {
  const [value, ...more] = positional
  const usage = `${asCalled('network show')} NETWORK, a name of ${asCalled('network list')} or a folder`
  if (value === undefined || more.length > 0) throw new AssemblyError('node/usage', `expected one network: ${usage}`)
  try {
    return parseNetwork(value)
  } catch (cause) {
    throw new AssemblyError('node/usage', (cause as Error).message, {}, { cause })
  }
}
