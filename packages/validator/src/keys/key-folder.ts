/** EIP-2335 containers in a folder that only its owner can enter. */
import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Address, isHex, toAddress } from '@keelson/primitives'
import type { Secret } from '@keelson/runtime'
import { type DerivationChoice, decryptContainer, encryptContainer, MAX_KEY_FILE_BYTES, parseContainer } from './key-container.ts'
import { keyError } from './key-file-error.ts'
import { addressOfPublicKey, publicKeyOf } from './secp256k1-key.ts'
import { readSecretFile, writeSecretFile } from './secret-file.ts'

export interface StoredKey {
  readonly address: Address
  readonly path: string
  readonly description: string | null
}

export interface KeyFolder {
  list(): Promise<readonly StoredKey[]>
  add(secret: Secret<Uint8Array>, password: string): Promise<StoredKey>
  open(address: Address, password: string): Promise<Secret<Uint8Array>>
  changePassword(secret: Secret<Uint8Array>, next: string): Promise<void>
  read(address: Address): Promise<string>
}

const MAX_KEYS = 10_000

/** Throws ValidatorError `consensus/validator-key`. */
export function createKeyFolder(directory: string, options: { readonly derivation?: DerivationChoice } = {}): KeyFolder {
  const pathOf = (address: Address) => join(directory, `${address}.json`)

  async function write(secret: Secret<Uint8Array>, password: string, replace: boolean): Promise<StoredKey> {
    const publicKey = publicKeyOf(secret.reveal())
    const address = addressOfPublicKey(publicKey) as Address
    const description = `Keelson validator key ${address}`
    const text = await encryptContainer({ secret, publicKey, password, description, ...options })
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await chmod(directory, 0o700)
    await writeSecretFile(pathOf(address), text, { replace })
    return { address, path: pathOf(address), description }
  }

  async function read(address: Address): Promise<string> {
    const known = await addresses()
    if (!known.includes(address)) {
      throw keyError(`there is no key ${address} in ${directory}; there ${known.length === 0 ? 'is none' : `are ${known.join(', ')}`}`)
    }
    return readSecretFile(pathOf(address), MAX_KEY_FILE_BYTES)
  }

  async function addresses(): Promise<readonly Address[]> {
    const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    const found = names.flatMap((name) => {
      const [, hex] = /^(0x[0-9a-f]{40})\.json$/.exec(name) ?? []
      return isHex(hex, 20) ? [toAddress(hex)] : []
    })
    if (found.length > MAX_KEYS) throw keyError(`${directory} holds ${found.length} keys, at most ${MAX_KEYS}`)
    return found.sort()
  }

  async function open(address: Address, password: string): Promise<Secret<Uint8Array>> {
    const secret = await decryptContainer(parseContainer(await read(address)), password)
    const actual = addressOfPublicKey(publicKeyOf(secret.reveal()))
    if (actual !== address) throw keyError(`${pathOf(address)} holds the key of ${actual}: give the file the name of its key`)
    return secret
  }

  return {
    async list() {
      const keys: StoredKey[] = []
      for (const address of await addresses()) {
        const { description } = parseContainer(await readSecretFile(pathOf(address), MAX_KEY_FILE_BYTES))
        keys.push({ address, path: pathOf(address), description })
      }
      return keys
    },
    add: (secret, password) => write(secret, password, false),
    open,
    async changePassword(secret, next) {
      await read(addressOfPublicKey(publicKeyOf(secret.reveal())) as Address)
      await write(secret, next, true)
    },
    read,
  }
}
