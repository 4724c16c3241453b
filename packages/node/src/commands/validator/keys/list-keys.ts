import { asCalled } from '@keelson/runtime'
import { createKeyFolder } from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { jsonOption, printResult, validatorFolder, validatorFolderOptions } from '../validator-folder.ts'

export const listKeysCommand = defineCommand({
  name: 'validator keys list',
  summary: 'the keys of a data directory',
  usage: '--data-dir FOLDER',
  options: { ...validatorFolderOptions, json: jsonOption },
  async run({ dataDir, json }) {
    const directory = validatorFolder(dataDir).keys
    const keys = await createKeyFolder(directory).list()
    printResult(
      json,
      { keys },
      keys.length === 0
        ? [`there is no key in ${directory}; make one with ${asCalled('validator keys new')}`]
        : keys.map(({ address, path }) => `${address}  ${path}`),
    )
    return 0
  },
})
