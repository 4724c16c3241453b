import { resolve } from 'node:path'
import { devnetFilePath, devnetPaths, prepareSharedFolder } from '@keelson/devnet'
import { createSystemClock } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { DEVNET_KEY_FORMATS } from './key-formats.ts'
import { devnetOptions } from './options.ts'
import { cryptoOf, engineWith } from './start.ts'

export const prepareCommand = defineCommand({
  name: 'devnet prepare',
  summary: 'writes the files of a network whose roles run in containers of their own, and ends',
  usage: '[--data-dir FOLDER] [options]',
  options: devnetOptions,
  async run(values) {
    const folder = resolve(values.dataDir)
    const engine = () => engineWith(cryptoOf(values))
    await prepareSharedFolder(devnetPaths(folder), values, createSystemClock().nowMs(), engine, DEVNET_KEY_FORMATS)
    console.log(`${folder} holds a development network for roles that run in containers, with the URLs in ${devnetFilePath(folder)}`)
    return 0
  },
})
