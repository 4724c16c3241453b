/** `node scripts/container/assemble.mjs FOLDER`: writes /app of the container image. */
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { bundle, EXTERNAL } from '../bundle.mjs'
import { bundleWeb } from '../bundle-web.mjs'
import { ROOT } from '../setup.mjs'
import { packageClosure } from './package-closure.mjs'

const DATA = [
  'package.json',
  'LICENSE',
  'config/l1-chains',
  'config/networks',
  'config/roles',
  'config/options.schema.json',
  'packages/contracts/artifacts',
  'packages/contracts/solidity',
]

const UNISWAP_CORE = ['UniswapV2ERC20', 'UniswapV2Factory', 'UniswapV2Pair']
const UNISWAP_CORE_PARTS = [
  ...['IERC20', 'IUniswapV2Callee', 'IUniswapV2ERC20', 'IUniswapV2Factory', 'IUniswapV2Pair'].map((name) => `interfaces/${name}`),
  ...['Math', 'SafeMath', 'UQ112x112'].map((name) => `libraries/${name}`),
]
const UNISWAP_PERIPHERY = [
  'UniswapV2Router02',
  ...['IERC20', 'IUniswapV2Router01', 'IUniswapV2Router02', 'IWETH'].map((name) => `interfaces/${name}`),
  ...['SafeMath', 'UniswapV2Library'].map((name) => `libraries/${name}`),
]
const OPENZEPPELIN = [
  'access/Ownable',
  'interfaces/draft-IERC6093',
  ...['ERC20', 'IERC20', 'extensions/IERC20Metadata'].map((name) => `token/ERC20/${name}`),
  'utils/Context',
]

/** Code of a development L2's exchange, and the sources that the explorer shows. */
export const PACKAGE_FILES = [
  '@uniswap/v2-core/build/UniswapV2Factory.json',
  '@uniswap/v2-core/build/UniswapV2Pair.json',
  '@uniswap/v2-periphery/build/UniswapV2Router02.json',
  ...[...UNISWAP_CORE, ...UNISWAP_CORE_PARTS].map((name) => `@uniswap/v2-core/contracts/${name}.sol`),
  ...UNISWAP_PERIPHERY.map((name) => `@uniswap/v2-periphery/contracts/${name}.sol`),
  '@uniswap/lib/contracts/libraries/TransferHelper.sol',
  ...OPENZEPPELIN.map((name) => `@openzeppelin/contracts/${name}.sol`),
]

const DEVELOPMENT_FILE = /\.(map|md|d\.ts|d\.mts|d\.cts|c|cc|cpp|h)$/

function isNeeded(source) {
  if (DEVELOPMENT_FILE.test(source)) return false
  const parent = basename(dirname(source))
  if (parent === 'prebuilds') return basename(source).split('+')[0] === `${process.platform}-${process.arch}`
  return true
}

export async function assemble(target) {
  await Promise.all([bundle({ sourcesContent: false }), bundleWeb()])
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const installed = packageClosure(EXTERNAL, lock).filter((path) => existsSync(join(ROOT, path)))
  for (const path of [...DATA, 'dist', ...installed, ...PACKAGE_FILES.map((file) => join('node_modules', file))]) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    const isPackage = installed.includes(path)
    const filter = (source) => {
      if (source === join(ROOT, 'dist', 'tests')) return false
      return !isPackage || (isNeeded(source) && !relative(join(ROOT, path), source).split('/').includes('node_modules'))
    }
    cpSync(join(ROOT, path), join(target, path), { recursive: true, filter })
  }
}

if (process.argv[1] === import.meta.filename) await assemble(process.argv[2])
