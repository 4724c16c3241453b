import { readFile } from 'node:fs/promises'
import type { Address } from '@keelson/primitives'
import { asCalled, createSystemClock, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import {
  addressOfPublicKey,
  createKeyFolder,
  isKeyContainer,
  openContainer,
  openSlashingProtection,
  parseInterchange,
  parseRawKey,
  publicKeyOf,
  readSecretFile,
} from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { AssemblyError } from '../../../errors.ts'
import { oneArgument } from '../one-argument.ts'
import { derivationOf, newPasswordOption, passwordOption, readPassword, scryptOption } from '../password-input.ts'
import { jsonOption, printResult, validatorFolder, validatorFolderOptions } from '../validator-folder.ts'

const MAX_BYTES = 64 * 1024
const USAGE = 'validator keys import FILE|- --data-dir FOLDER'

export const importKeyCommand = defineCommand({
  name: 'validator keys import',
  summary: 'take a key over: raw hex, an EIP-2335 container or a key file of Geth',
  usage: 'FILE|- --data-dir FOLDER [--protection FILE | --never-signed] [options]',
  options: {
    ...validatorFolderOptions,
    passwordFile: passwordOption,
    newPasswordFile: newPasswordOption,
    protection: optionalOption({
      key: 'protection',
      parse: parse.path,
      description: 'What the key has signed elsewhere, as keelson validator protection export wrote it.',
    }),
    neverSigned: option({
      key: 'neverSigned',
      flag: 'never-signed',
      parse: parse.toggle,
      default: false,
      description: 'The key has never signed an attestation anywhere: begin its record here.',
    }),
    scryptN: scryptOption,
    json: jsonOption,
  },
  takesArguments: true,
  async run({ dataDir, passwordFile, newPasswordFile, protection: protectionFile, neverSigned, scryptN, json }, { positional }) {
    const file = oneArgument(positional, USAGE)
    if (protectionFile !== null && neverSigned) {
      throw new AssemblyError('node/usage', 'a key with a record has signed before: give --protection or --never-signed, not both')
    }
    const folder = validatorFolder(dataDir)
    const text = file === '-' ? await readInput() : await readSecretFile(file, MAX_BYTES)
    const interchange = protectionFile === null ? null : parseInterchange(await readFile(protectionFile, 'utf8'))
    const container = isKeyContainer(text)
    const given = container ? await readPassword({ file: passwordFile, what: 'password of the file', isNew: false }) : null
    const secret = given === null ? parseRawKey(text) : await openContainer(text, given.reveal())
    const address = addressOfPublicKey(publicKeyOf(secret.reveal())) as Address
    if (interchange !== null && !interchange.keys.some(({ key }) => key === address)) {
      throw new AssemblyError('node/usage', `${protectionFile} says nothing of key ${address}; give the file of the place it was last used`)
    }
    const isKept = given !== null && newPasswordFile === null
    const next = isKept
      ? given
      : await readPassword({ file: newPasswordFile ?? passwordFile, what: 'password to keep the key under', isNew: true })
    const hasRecord = interchange !== null || neverSigned
    if (hasRecord) {
      const protection = await openSlashingProtection({ directory: folder.protection, create: true, clock: createSystemClock() })
      try {
        if (interchange === null) await protection.beginKey(address)
        else await protection.importInterchange(interchange)
      } finally {
        await protection.close()
      }
    }
    const { path } = await createKeyFolder(folder.keys, { derivation: derivationOf(scryptN) }).add(secret, next.reveal())
    printResult(json, { address, path, protected: hasRecord }, [
      `imported key ${address} to ${path}`,
      hasRecord
        ? 'it must not be in use anywhere else from now on'
        : `it does not sign before there is a record of what it has signed: ${asCalled('validator')} protection import FILE, or init --new-key ${address}`,
    ])
    return 0
  },
})

async function readInput(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > MAX_BYTES) throw new AssemblyError('node/usage', `standard input holds more than ${MAX_BYTES} bytes; that is no key`)
  }
  return text
}
