/** Reads a key from the environment, a hex file, or an encrypted key file (EIP-2335, or version 3 of Geth and wallets). */
import { readFileSync, statSync } from 'node:fs'
import type { Bytes32 } from '@keelson/primitives'
import type { OptionValues, Secret } from '@keelson/runtime'
import { isKeyContainer, openContainer, parseRawKey, ValidatorError } from '@keelson/validator'
import { AssemblyError } from '../../errors.ts'
import type { keyOptions } from './transfer-options.ts'

const FLAG = '--private-key'
const OTHERS = 0o077

/** Throws AssemblyError `node/usage` without any part of the key. */
export async function readKey(
  values: OptionValues<typeof keyOptions>,
  warn: (line: string) => void,
  passwordFlag = '--password-file',
): Promise<Secret<Bytes32>> {
  const { privateKey, privateKeyFile, passwordFile } = values
  if (privateKey !== null && privateKeyFile !== null) {
    throw new AssemblyError('node/usage', 'a key is given both directly and as --private-key-file; give one of them')
  }
  if (privateKey !== null) {
    if (process.argv.some((argument) => argument === FLAG || argument.startsWith(`${FLAG}=`))) {
      warn(
        'the key stands on the command line, where everyone on this machine and the history of the shell can read it; give KEELSON_PRIVATE_KEY or --private-key-file',
      )
    }
    return privateKey as Secret<Bytes32>
  }
  if (privateKeyFile === null)
    throw new AssemblyError('node/usage', 'give the key of the account that sends: KEELSON_PRIVATE_KEY or --private-key-file')
  const text = readFileSync(privateKeyFile, 'utf8')
  try {
    if (isKeyContainer(text)) {
      if (passwordFile === null) {
        throw new AssemblyError('node/usage', `${privateKeyFile} is under a password: give the file that holds it with ${passwordFlag}`)
      }
      return (await openContainer(text, readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, ''))) as Secret<Bytes32>
    }
    const key = parseRawKey(text) as Secret<Bytes32>
    if ((statSync(privateKeyFile).mode & OTHERS) !== 0)
      warn(`others on this machine may read ${privateKeyFile}: chmod 600 ${privateKeyFile}`)
    return key
  } catch (error) {
    if (!(error instanceof ValidatorError)) throw error
    throw new AssemblyError('node/usage', `${privateKeyFile}: ${error.message}`, {}, { cause: error })
  }
}
