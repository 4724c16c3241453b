import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Fork } from '@keelson/chainspec'
import {
  type ArtifactName,
  type ContractArtifact,
  decodeArtifact,
  decodePreinstalls,
  decodeUniswapBuild,
  OWN_ARTIFACTS,
  type Preinstall,
  UNISWAP_BUILDS,
  type UniswapContract,
} from '@keelson/contracts'
import { GenesisError } from './genesis-error.ts'

export interface ContractFiles {
  readonly fork: Fork
  artifact(name: ArtifactName): ContractArtifact
  preinstalls(chainId: bigint): readonly Preinstall[]
  uniswap(name: UniswapContract): Uint8Array
}

/** Throws GenesisError `node/genesis-files`. */
export function findProjectRoot(from: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'config', 'networks')) && existsSync(join(folder, 'package.json'))) return folder
    if (folder === dirname(folder)) throw new GenesisError('node/genesis-files', `no folder above ${from} holds config/networks`)
  }
}

export function openContractFiles(root: string = findProjectRoot()): ContractFiles {
  const folder = join(root, 'packages', 'contracts', 'artifacts')
  const own: ReadonlySet<ArtifactName> = new Set(OWN_ARTIFACTS)
  const manifest = readJson(join(folder, 'manifest.json')) as { fork: Fork }
  return {
    fork: manifest.fork,
    artifact: (name) => decodeArtifact(readJson(join(folder, own.has(name) ? 'own' : '', `${name}.json`))),
    preinstalls: (chainId) => decodePreinstalls(readJson(join(folder, 'preinstalls.json')), chainId),
    uniswap: (name) => decodeUniswapBuild(readJson(findModule(root, UNISWAP_BUILDS[name]))),
  }
}

function findModule(root: string, name: string): string {
  try {
    return createRequire(join(root, 'packages', 'contracts', 'package.json')).resolve(name)
  } catch (cause) {
    throw new GenesisError('node/genesis-files', `cannot find ${name} among the installed packages; run npm ci in ${root}`, {}, { cause })
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new GenesisError('node/genesis-files', `cannot read ${file}; it belongs to the source tree: restore it with git`, {}, { cause })
  }
}
