import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { asCalled, createSystemClock, option, optionParsers as parse } from '@keelson/runtime'
import { createKeyFolder, openSlashingProtection, renderInterchange, writeSecretFile } from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { AssemblyError } from '../../../errors.ts'
import { addressArgument } from '../one-argument.ts'
import { jsonOption, printResult, validatorFolder, validatorFolderOptions } from '../validator-folder.ts'

export const exportKeyCommand = defineCommand({
  name: 'validator keys export',
  summary: 'a key for another place, still under its password, with what it has signed; while no validator runs on it',
  usage: 'ADDRESS --data-dir FOLDER --out FOLDER',
  options: {
    ...validatorFolderOptions,
    out: option({ key: 'out', parse: parse.path, description: 'Folder for the two files.' }),
    json: jsonOption,
  },
  takesArguments: true,
  async run({ dataDir, out, json }, { positional }) {
    const address = addressArgument(positional, 'validator keys export ADDRESS --data-dir FOLDER --out FOLDER')
    const folder = validatorFolder(dataDir)
    const container = await createKeyFolder(folder.keys).read(address)
    const protection = await openSlashingProtection({ directory: folder.protection, create: false, clock: createSystemClock() })
    let record: string
    try {
      const interchange = await protection.exportInterchange([address])
      if (interchange.keys.length === 0) {
        throw new AssemblyError(
          'node/usage',
          `there is no record of what ${address} has signed in ${folder.protection}; bring it there first`,
        )
      }
      record = renderInterchange(interchange)
    } finally {
      await protection.close()
    }
    await mkdir(out, { recursive: true, mode: 0o700 })
    const key = join(out, `${address}.json`)
    const signed = join(out, `${address}.protection.json`)
    await writeSecretFile(signed, record)
    await writeSecretFile(key, container)
    printResult(json, { address, key, protection: signed }, [
      `wrote ${key}`,
      `      ${signed}`,
      `move both: ${asCalled('validator')} keys import ${address}.json --protection ${address}.protection.json`,
      'and do not run it here again: two that sign with one key are slashed',
    ])
    return 0
  },
})
