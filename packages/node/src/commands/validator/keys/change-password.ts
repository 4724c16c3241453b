import { createKeyFolder } from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { addressArgument } from '../one-argument.ts'
import { derivationOf, newPasswordOption, passwordOption, readPassword, scryptOption } from '../password-input.ts'
import { jsonOption, printResult, validatorFolder, validatorFolderOptions } from '../validator-folder.ts'

export const changePasswordCommand = defineCommand({
  name: 'validator keys password',
  summary: 'keep a key under another password',
  usage: 'ADDRESS --data-dir FOLDER [--password-file FILE] [--new-password-file FILE]',
  options: {
    ...validatorFolderOptions,
    passwordFile: passwordOption,
    newPasswordFile: newPasswordOption,
    scryptN: scryptOption,
    json: jsonOption,
  },
  takesArguments: true,
  async run({ dataDir, passwordFile, newPasswordFile, scryptN, json }, { positional }) {
    const address = addressArgument(positional, 'validator keys password ADDRESS --data-dir FOLDER')
    const keys = createKeyFolder(validatorFolder(dataDir).keys, { derivation: derivationOf(scryptN) })
    const password = await readPassword({ file: passwordFile, what: `password of ${address}`, isNew: false })
    const secret = await keys.open(address, password.reveal())
    const next = await readPassword({ file: newPasswordFile, what: 'new password', isNew: true })
    await keys.changePassword(secret, next.reveal())
    printResult(json, { address }, [`${address} is kept under the new password; copies made before still open with the old one`])
    return 0
  },
})
