import { option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../../command.ts'
import { jsonOption, printResult, validatorFolderOptions } from '../validator-folder.ts'
import { withProtection } from './with-protection.ts'

export const initProtectionCommand = defineCommand({
  name: 'validator protection init',
  summary: 'begin the record of a key that has never signed anything, anywhere',
  usage: '--new-key ADDRESS --data-dir FOLDER',
  options: {
    ...validatorFolderOptions,
    newKey: option({
      key: 'newKey',
      flag: 'new-key',
      parse: parse.address,
      description: 'Address of the key; one that has signed before would be slashed: import its record instead.',
    }),
    json: jsonOption,
  },
  async run({ dataDir, newKey, json }) {
    const begun = await withProtection(dataDir, true, (protection) => protection.beginKey(newKey))
    printResult(json, { key: newKey, begun }, [
      begun ? `the record of ${newKey} begins here, empty` : `there is a record of ${newKey} already; it stays as it is`,
    ])
    return 0
  },
})
