import { existsSync } from 'node:fs'
import { forgetEtcd } from '@keelson/conductor'
import { option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { conductorStorePath, openConductorStore } from '../../etcd/open-ledger.ts'

export const forgetEtcdCommand = defineCommand({
  name: 'conductor forget-etcd',
  summary: 'let a stopped conductor accept another etcd, or one restored from a backup, at its next start',
  usage: '--data-dir FOLDER',
  explanation: [
    'The record of such an etcd may lack blocks that were published. Start all sequencers, stop all conductors, run this for',
    'each of them, and start them: they continue from the highest chain of any sequencer.',
  ].join('\n'),
  options: { dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder of the conductor.' }) },
  async run({ dataDir }) {
    const directory = conductorStorePath(dataDir)
    if (!existsSync(directory)) throw new AssemblyError('node/usage', `--data-dir ${dataDir} is not the folder of a conductor`)
    const store = await openConductorStore(dataDir)
    try {
      const known = await forgetEtcd(store)
      console.log(known === null ? 'no etcd was remembered' : `forgotten: ${known}`)
    } finally {
      await store.close()
    }
    return 0
  },
})
