/** `keelson debug ...`: looks into what a node reads, without one. */
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { decodeBatches, decodeBatchesOptions } from './decode-batches.ts'

const USAGE = 'decode-batches --from N --network FOLDER --l1.rpc URL [options]'

export const debugCommand = defineCommand({
  name: 'debug',
  summary: 'decode-batches: transactions, frames, channels, batches and verdicts of L1 blocks',
  usage: USAGE,
  options: decodeBatchesOptions,
  takesArguments: true,
  async run(values, { positional }) {
    if (positional.length !== 1 || positional[0] !== 'decode-batches') {
      throw new AssemblyError('node/usage', `say what to look at: keelson debug ${USAGE}`)
    }
    return decodeBatches(values)
  },
})
