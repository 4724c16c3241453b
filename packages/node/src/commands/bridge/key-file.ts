/**
 * The key of the account that sends: from the environment, a file of hex, or a keystore of version 3 as geth and wallets
 * write it (Web3 Secret Storage).
 */
import { createDecipheriv, pbkdf2Sync, scryptSync } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { type Bytes32, bytesToHex, concatBytes, hexToBytes, isHex, keccak256 } from '@keelson/primitives'
import { type OptionValues, Secret } from '@keelson/runtime'
import { AssemblyError } from '../../errors.ts'
import type { keyOptions } from './transfer-options.ts'

const FLAG = '--private-key'
const OTHERS = 0o077
/** Of scrypt: what keystores ask for is 256 MiB at most. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024

/** Throws AssemblyError `node/usage`; never says anything of the key. */
export function readKey(values: OptionValues<typeof keyOptions>, warn: (line: string) => void): Secret<Bytes32> {
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
  const text = readFileSync(privateKeyFile, 'utf8').trim()
  if (text.startsWith('{')) {
    if (passwordFile === null)
      throw new AssemblyError('node/usage', `${privateKeyFile} is a keystore: give its password with --password-file`)
    return new Secret(openKeystore(text, readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, ''), privateKeyFile))
  }
  const hex = text.startsWith('0x') ? text : `0x${text}`
  if (!isHex(hex, 32)) throw new AssemblyError('node/usage', `${privateKeyFile}: expected 32 bytes of hex, or a keystore`)
  if ((statSync(privateKeyFile).mode & OTHERS) !== 0) warn(`others on this machine may read ${privateKeyFile}: chmod 600 ${privateKeyFile}`)
  return new Secret(hexToBytes(hex) as Bytes32)
}

interface KeystoreCrypto {
  readonly cipher: string
  readonly ciphertext: string
  readonly cipherparams: { readonly iv: string }
  readonly kdf: string
  readonly kdfparams: {
    readonly salt: string
    readonly dklen: number
    readonly n?: number
    readonly r?: number
    readonly p?: number
    readonly c?: number
    readonly prf?: string
  }
  readonly mac: string
}

function openKeystore(text: string, password: string, path: string): Bytes32 {
  const refuse = (why: string) => new AssemblyError('node/usage', `${path}: ${why}`)
  let crypto: KeystoreCrypto
  try {
    const {
      version,
      crypto: found,
      Crypto: capital,
    } = JSON.parse(text) as { version?: number; crypto?: KeystoreCrypto; Crypto?: KeystoreCrypto }
    const either = found ?? capital
    if (version !== 3 || either === undefined) throw refuse('expected a keystore of version 3')
    crypto = either
  } catch (error) {
    throw error instanceof AssemblyError ? error : refuse('it is neither hex nor JSON')
  }
  if (crypto.cipher !== 'aes-128-ctr') throw refuse(`expected the cipher aes-128-ctr, got ${crypto.cipher}`)
  const bytes = (hex: string) => Buffer.from(hex.replace(/^0x/, ''), 'hex')
  const { salt, dklen, n = 0, r = 0, p = 0, c = 0, prf } = crypto.kdfparams
  const derive = () => {
    if (crypto.kdf === 'scrypt') return scryptSync(password, bytes(salt), dklen, { N: n, r, p, maxmem: MAX_MEMORY_BYTES })
    if (crypto.kdf === 'pbkdf2' && prf === 'hmac-sha256') return pbkdf2Sync(password, bytes(salt), c, dklen, 'sha256')
    throw refuse(`expected scrypt or pbkdf2 with hmac-sha256, got ${crypto.kdf}`)
  }
  const derived = derive()
  const ciphertext = bytes(crypto.ciphertext)
  const mac = bytesToHex(keccak256(concatBytes(derived.subarray(16, 32), ciphertext)))
  if (mac !== `0x${crypto.mac.replace(/^0x/, '').toLowerCase()}`) throw refuse('the password is wrong, or the file is damaged')
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), bytes(crypto.cipherparams.iv))
  const key = new Uint8Array(Buffer.concat([decipher.update(ciphertext), decipher.final()]))
  if (key.length !== 32) throw refuse(`expected a key of 32 bytes, got ${key.length}`)
  return key as Bytes32
}
