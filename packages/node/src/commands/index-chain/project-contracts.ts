/** Source and ABI of the contracts that come with a rollup, from the files of this program. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { createProjectContracts, type ProjectCode, type ProjectContracts } from '@keelson/apps/index'
import { type AbiEntry, type ContractArtifact, decodeArtifact, OWN_ARTIFACTS } from '@keelson/contracts'
import { type Hex, hexToBytes } from '@keelson/primitives'

const UNISWAP = [
  ['@uniswap/v2-core', 'UniswapV2Factory'],
  ['@uniswap/v2-core', 'UniswapV2Pair'],
  ['@uniswap/v2-periphery', 'UniswapV2Router02'],
] as const
const IMPORT = /^\s*import\s+(?:[^'"]*?from\s+)?['"]([^'"]+)['"]/gm

/** `root` is the folder of this program. Contracts whose files are not there are left out. */
export function readProjectContracts(root: string): ProjectContracts {
  const folder = join(root, 'packages', 'contracts')
  const require = createRequire(join(folder, 'package.json'))
  const artifacts = join(folder, 'artifacts')
  const own = OWN_ARTIFACTS.map((name) =>
    ownContract(readArtifact(join(artifacts, 'own', `${name}.json`)), join(folder, 'solidity'), require),
  )
  const standard = readdirSync(artifacts)
    .filter((name) => /^[A-Z]\w*\.json$/.test(name))
    .map((name) => standardContract(readArtifact(join(artifacts, name))))
  const uniswap = UNISWAP.flatMap(([name, contract]) => uniswapContract(name, contract, require) ?? [])
  return createProjectContracts([...own, ...standard, ...uniswap].filter(({ code }) => code.length > 0))
}

function readArtifact(file: string): ContractArtifact {
  return decodeArtifact(JSON.parse(readFileSync(file, 'utf8')))
}

function ownContract({ name, abi, deployedBytecode }: ContractArtifact, solidity: string, require: NodeJS.Require): ProjectCode {
  const file = `${name}.sol`
  const read = (path: string) => (path.startsWith('@') ? fromPackage(path, require) : fromFile(join(solidity, path)))
  const sources = sourcesFrom(file, read)
  const origin = `packages/contracts/solidity/${file} of this project, which compiles to this code`
  return { contract: { name, origin, file: file in sources ? file : null, sources, abi }, code: deployedBytecode }
}

function standardContract({ name, abi, deployedBytecode }: ContractArtifact): ProjectCode {
  const origin = 'the contracts of the OP Stack, @eth-optimism/contracts-bedrock on npm, which has the source'
  return { contract: { name, origin, file: null, sources: {}, abi }, code: deployedBytecode }
}

function uniswapContract(packageName: string, name: string, require: NodeJS.Require): ProjectCode | null {
  const build = fromPackage(`${packageName}/build/${name}.json`, require)
  if (build === null) return null
  const { abi, evm } = JSON.parse(build) as { abi: readonly AbiEntry[]; evm: { deployedBytecode: { object: string } } }
  const file = `${packageName}/contracts/${name}.sol`
  const sources = sourcesFrom(file, (path) => fromPackage(path, require))
  const { version } = JSON.parse(fromPackage(`${packageName}/package.json`, require) ?? '{}') as { version?: string }
  const origin = `the npm package ${packageName} ${version ?? ''}, whose build has this code`
  const code = hexToBytes(`0x${evm.deployedBytecode.object}` as Hex)
  return { contract: { name, origin, file: file in sources ? file : null, sources, abi }, code }
}

/** The file and everything that it imports, by path. */
function sourcesFrom(file: string, read: (path: string) => string | null): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  const open = [file]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path in found) continue
    const text = read(path)
    if (text === null) continue
    found[path] = text
    for (const [, target = ''] of text.matchAll(IMPORT)) open.push(target.startsWith('.') ? posix.join(dirname(path), target) : target)
  }
  return found
}

function fromFile(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}

function fromPackage(path: string, require: NodeJS.Require): string | null {
  try {
    return readFileSync(require.resolve(path), 'utf8')
  } catch {
    return null
  }
}
