import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { asCalled, option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../command.ts'
import { exportConfig } from '../config-export/export-config.ts'
import { EXPORT_TARGETS, type ExportTargetName } from '../config-export/export-targets.ts'
import { AssemblyError } from '../errors.ts'
import { networkOption } from '../networks/network-option.ts'

export const configCommand = defineCommand({
  name: 'config',
  summary: "a network's files in the form another client accepts",
  usage: 'export --for PROGRAM --network NETWORK --out FOLDER',
  options: {
    for: option<ExportTargetName>({
      key: 'config.for',
      flag: 'for',
      parse: parse.oneOf(...EXPORT_TARGETS),
      description: 'Whom the files are for; current is op-node, op-geth and others of today.',
    }),
    network: networkOption(),
    out: option({ key: 'config.out', flag: 'out', parse: parse.path, description: 'Folder the files are written to.' }),
  },
  takesArguments: true,
  async run(values, { positional }) {
    if (positional.length !== 1 || positional[0] !== 'export') {
      throw new AssemblyError('node/usage', `${asCalled('config')} takes export, got "${positional.join(' ')}"`)
    }
    const { files, flags } = exportConfig(values.network, values.for)
    if (resolve(values.out) === resolve(values.network)) {
      throw new AssemblyError('node/usage', `--out names the network's own folder ${values.out}: its files would be written over`)
    }
    mkdirSync(values.out, { recursive: true })
    for (const [name, content] of files) {
      const path = join(values.out, name)
      writeFileSync(path, `${JSON.stringify(content, null, name === 'genesis.json' ? 0 : 2)}\n`)
      console.log(path)
    }
    for (const flag of flags) console.log(`start ${values.for} with ${flag}`)
    return 0
  },
})
