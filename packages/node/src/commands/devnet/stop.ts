import { resolve } from 'node:path'
import { stopNetwork } from '@keelson/devnet'
import { asCalled, createSystemClock } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { sayIfInterrupted } from '../interrupt-notice.ts'
import { dataDirOption } from './options.ts'

export const stopCommand = defineCommand({
  name: 'devnet stop',
  summary: 'ends a network that runs in the background or in another terminal',
  usage: '[--data-dir FOLDER]',
  options: { dataDir: dataDirOption },
  async run({ dataDir }) {
    sayIfInterrupted(`the network continues to stop; look with: ${asCalled('devnet status')}`)
    console.log(await stopNetwork(resolve(dataDir), createSystemClock()))
    return 0
  },
})
