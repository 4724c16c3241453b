import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseToml, type RegistryChain, RegistryError, readHardforks, readRegistryChain } from './registry-chain.ts'

export interface Superchain {
  readonly name: string
  readonly l1ChainId: number
  /** The registry copies these forks into each chain with `superchain_time`. */
  readonly hardforks: Readonly<Record<string, number | boolean>>
}

export interface RegistryCheckout {
  readonly folder: string
  readonly commit: string
  readonly superchains: ReadonlyMap<string, Superchain>
  readonly chains: readonly RegistryChain[]
  readonly unreadable: readonly { readonly id: string; readonly reason: string }[]
  readonly addresses: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const CONFIGS = join('superchain', 'configs')
const EXTRA = join('superchain', 'extra')
const PUBLIC_SUPERCHAINS = ['mainnet', 'sepolia']

export function openRegistry(folder: string): RegistryCheckout {
  if (!existsSync(join(folder, CONFIGS))) {
    throw new RegistryError(`${folder} is not a checkout of the superchain registry: it has no folder ${CONFIGS}`)
  }
  const superchains = new Map<string, Superchain>()
  const chains: RegistryChain[] = []
  const unreadable: { id: string; reason: string }[] = []
  for (const name of PUBLIC_SUPERCHAINS) {
    const superchain = readSuperchain(folder, name)
    superchains.set(name, superchain)
    const files = readdirSync(join(folder, CONFIGS, name)).filter((file) => file.endsWith('.toml') && file !== 'superchain.toml')
    for (const file of files.sort()) {
      const id = `${name}/${file.slice(0, -'.toml'.length)}`
      try {
        chains.push(readRegistryChain(id, readFileSync(join(folder, CONFIGS, name, file), 'utf8'), superchain.l1ChainId))
      } catch (error) {
        if (!(error instanceof RegistryError)) throw error
        unreadable.push({ id, reason: error.message })
      }
    }
  }
  const addresses = JSON.parse(readFileSync(join(folder, EXTRA, 'addresses', 'addresses.json'), 'utf8')) as RegistryCheckout['addresses']
  return { folder, commit: commitOf(folder), superchains, chains, unreadable, addresses }
}

function readSuperchain(folder: string, name: string): Superchain {
  const path = join(CONFIGS, name, 'superchain.toml')
  if (!existsSync(join(folder, path))) throw new RegistryError(`${folder} has no ${path}`)
  const toml = parseToml(path, readFileSync(join(folder, path), 'utf8'))
  const l1ChainId = (toml.l1 as { chain_id?: unknown } | undefined)?.chain_id
  if (!Number.isSafeInteger(l1ChainId)) throw new RegistryError(`${path}: l1.chain_id: expected a number`)
  return { name, l1ChainId: l1ChainId as number, hardforks: readHardforks(path, toml.hardforks) }
}

function commitOf(folder: string): string {
  const { status, stdout } = spawnSync('git', ['-C', folder, 'rev-parse', 'HEAD'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : 'unknown'
}

/** Needs `zstd` and the registry's dictionary. Throws RegistryError. */
export function readRegistryGenesis({ folder }: RegistryCheckout, id: string): Record<string, unknown> {
  const packed = join(folder, EXTRA, 'genesis', `${id}.json.zst`)
  const { status, stdout, stderr, error } = spawnSync('zstd', ['-d', '-c', '-q', '-D', join(folder, EXTRA, 'dictionary'), packed], {
    maxBuffer: 1 << 30,
  })
  if (error !== undefined) throw new RegistryError(`zstd cannot be run (${error.message}); install it: https://facebook.github.io/zstd`)
  if (status !== 0) throw new RegistryError(`${packed} cannot be unpacked: ${stderr.toString().trim()}`)
  return JSON.parse(stdout.toString('utf8')) as Record<string, unknown>
}
