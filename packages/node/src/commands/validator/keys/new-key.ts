import type { Address } from '@keelson/primitives'
import { asCalled, createSystemClock, Secret } from '@keelson/runtime'
import { addressOfPublicKey, createKeyFolder, createPrivateKey, openSlashingProtection, publicKeyOf } from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { derivationOf, passwordOption, readPassword, scryptOption } from '../password-input.ts'
import { jsonOption, printResult, validatorFolder, validatorFolderOptions } from '../validator-folder.ts'

export const newKeyCommand = defineCommand({
  name: 'validator keys new',
  summary: 'make a key, and begin the record of what it signs',
  usage: '--data-dir FOLDER [--password-file FILE]',
  options: { ...validatorFolderOptions, passwordFile: passwordOption, scryptN: scryptOption, json: jsonOption },
  async run({ dataDir, passwordFile, scryptN, json }) {
    const folder = validatorFolder(dataDir)
    const password = await readPassword({ file: passwordFile, what: 'password of the new key', isNew: true })
    const secret = new Secret(createPrivateKey())
    const address = addressOfPublicKey(publicKeyOf(secret.reveal())) as Address
    // The slashing record comes first: a key is unusable without it, but a record without a key is harmless.
    const protection = await openSlashingProtection({ directory: folder.protection, create: true, clock: createSystemClock() })
    try {
      await protection.beginKey(address)
    } finally {
      await protection.close()
    }
    const { path } = await createKeyFolder(folder.keys, { derivation: derivationOf(scryptN) }).add(secret, password.reveal())
    printResult(json, { address, path, protection: folder.protection }, [
      `made key ${address}`,
      `  file                 ${path}`,
      `  slashing protection  ${folder.protection}`,
      `keep a copy of the key file and its password; what the key has signed moves with it only by ${asCalled('validator keys export')}`,
    ])
    return 0
  },
})
