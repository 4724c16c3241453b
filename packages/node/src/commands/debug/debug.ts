import { asCalled } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { decodeBatches, decodeBatchesOptions } from './decode-batches.ts'

const USAGE = 'decode-batches --from N [--to N] --network NETWORK --l1.rpc URL [--l1.beacon URL] [options]'

export const debugCommand = defineCommand({
  name: 'debug',
  summary: 'decode-batches: transactions, frames, channels, batches and verdicts of L1 blocks',
  usage: USAGE,
  options: decodeBatchesOptions,
  takesArguments: true,
  checkArguments(positional) {
    const [what, ...more] = positional
    if (what === undefined) throw new AssemblyError('node/usage', `say what to look at: ${asCalled('debug')} ${USAGE}`)
    const stray = what === 'decode-batches' ? more[0] : what
    if (stray !== undefined) throw new AssemblyError('node/usage', `"${stray}" is not known; there is ${asCalled('debug')} ${USAGE}`)
  },
  run: decodeBatches,
})
