/** A file names layout version and chain, so that foreign data is rejected unchanged. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Hash, messageOf } from '@keelson/primitives'
import { RuntimeError } from '../runtime-error.ts'
import { replaceFile } from './replace-file.ts'

export interface DataIdentity {
  /** Increase it when older releases can no longer read the data. */
  readonly version: number
  readonly role: string
  readonly chainId: bigint
  readonly genesisHash: Hash
}

const FILE_NAME = 'identity.json'

/**
 * Claims an empty directory or checks it. The caller migrates the returned version. Throws RuntimeError
 * `runtime/data-directory-chain`, `-version`, `-unreadable`.
 */
export async function claimDataDirectory(
  directory: string,
  identity: DataIdentity,
): Promise<{ readonly version: number; readonly fresh: boolean }> {
  const path = join(directory, FILE_NAME)
  const text = await readIfPresent(directory, path)
  if (text === null) {
    await writeAtomically(directory, path, identity)
    return { version: identity.version, fresh: true }
  }
  const found = parseIdentity(path, text)
  if (found.role !== identity.role || found.chainId !== identity.chainId.toString() || found.genesisHash !== identity.genesisHash) {
    throw new RuntimeError(
      'runtime/data-directory-chain',
      `the data directory ${directory} holds ${found.role} data of chain ${found.chainId} with genesis ${found.genesisHash}; ` +
        `expected ${identity.role} data of chain ${identity.chainId} with genesis ${identity.genesisHash}: ` +
        'choose another data directory, or move this one away',
      { directory, foundChainId: found.chainId, foundGenesisHash: found.genesisHash },
    )
  }
  if (found.version > identity.version) {
    throw new RuntimeError(
      'runtime/data-directory-version',
      `the data directory ${directory} was written by a newer release (layout ${found.version}, this one reads up to ${identity.version}): ` +
        'run the newer release, or choose another data directory',
      { directory, found: found.version, expected: identity.version },
    )
  }
  return { version: found.version, fresh: false }
}

export interface StoredIdentity {
  readonly version: number
  readonly role: string
  readonly chainId: string
  readonly genesisHash: string
}

/** Null where no role has claimed the directory. Throws RuntimeError `runtime/data-directory-unreadable`. */
export async function readDataIdentity(directory: string): Promise<StoredIdentity | null> {
  const path = join(directory, FILE_NAME)
  const text = await readIfPresent(directory, path)
  return text === null ? null : parseIdentity(path, text)
}

export async function recordDataVersion(directory: string, identity: DataIdentity): Promise<void> {
  await writeAtomically(directory, join(directory, FILE_NAME), identity)
}

async function readIfPresent(directory: string, path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw unreadable(directory, error)
  }
}

function parseIdentity(path: string, text: string): StoredIdentity {
  try {
    const { version, role, chainId, genesisHash } = JSON.parse(text) as Record<string, unknown>
    if (typeof version === 'number' && typeof role === 'string' && typeof chainId === 'string' && typeof genesisHash === 'string') {
      return { version, role, chainId, genesisHash }
    }
  } catch (error) {
    throw unreadable(path, error)
  }
  throw unreadable(path, new Error('fields are missing'))
}

function unreadable(path: string, cause: unknown): RuntimeError {
  const text = messageOf(cause)
  return new RuntimeError(
    'runtime/data-directory-unreadable',
    `${path} cannot be read (${text}): check its owner, or choose another data directory`,
    { path },
    { cause },
  )
}

async function writeAtomically(directory: string, path: string, identity: DataIdentity): Promise<void> {
  const { version, role, chainId, genesisHash } = identity
  try {
    await replaceFile(path, `${JSON.stringify({ version, role, chainId: chainId.toString(), genesisHash }, null, 2)}\n`)
  } catch (error) {
    throw unreadable(directory, error)
  }
}
