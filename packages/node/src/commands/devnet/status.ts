import { resolve } from 'node:path'
import { operatorSecretPath } from '@keelson/conductor'
import { networkStatus } from '@keelson/devnet/status'
import { option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { dataDirOption } from './options.ts'

export const statusCommand = defineCommand({
  name: 'devnet status',
  summary: 'how each role is, and how often it was restarted',
  usage: '[--json] [--data-dir FOLDER]',
  explanation: 'The exit code is 1 while a role is not ready, or when no network runs.',
  options: {
    dataDir: dataDirOption,
    json: option({ key: 'devnet.json', flag: 'json', parse: parse.toggle, default: false, description: 'Print one JSON document.' }),
  },
  async run({ dataDir, json }) {
    const { ready, text, document } = await networkStatus(resolve(dataDir), operatorSecretPath)
    console.log(json ? JSON.stringify(document, null, 2) : text)
    return ready ? 0 : 1
  },
})
