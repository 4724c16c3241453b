/** Declarations of the contracts that come with a rollup, by selector and topic. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AbiEntry, type AbiParameter, decodeArtifact } from '@keelson/contracts'
import { bytesToHex, keccak256, utf8ToBytes } from '@keelson/primitives'
import type { AbiDocument } from '../shared/config-document.ts'

/** Standards whose contracts have no artifact here. */
const STANDARDS = {
  functions: [
    'transfer(address to,uint256 value)',
    'approve(address spender,uint256 value)',
    'transferFrom(address from,address to,uint256 value)',
    'safeTransferFrom(address from,address to,uint256 tokenId)',
    'safeTransferFrom(address from,address to,uint256 tokenId,bytes data)',
    'setApprovalForAll(address operator,bool approved)',
    'permit(address owner,address spender,uint256 value,uint256 deadline,uint8 v,bytes32 r,bytes32 s)',
    'swapExactTokensForTokens(uint256 amountIn,uint256 amountOutMin,address[] path,address to,uint256 deadline)',
    'swapTokensForExactTokens(uint256 amountOut,uint256 amountInMax,address[] path,address to,uint256 deadline)',
    'swapExactETHForTokens(uint256 amountOutMin,address[] path,address to,uint256 deadline)',
    'swapExactTokensForETH(uint256 amountIn,uint256 amountOutMin,address[] path,address to,uint256 deadline)',
    'swap(uint256 amount0Out,uint256 amount1Out,address to,bytes data)',
    'getReserves()',
    'sync()',
    'skim(address to)',
    'setL1BlockValuesEcotone()',
    'setL1BlockValuesIsthmus()',
    'setL1BlockValuesJovian()',
  ],
  events: [
    'Transfer(address indexed from,address indexed to,uint256 value)',
    'Transfer(address indexed from,address indexed to,uint256 indexed tokenId)',
    'Approval(address indexed owner,address indexed spender,uint256 value)',
    'ApprovalForAll(address indexed owner,address indexed operator,bool approved)',
    'TransferSingle(address indexed operator,address indexed from,address indexed to,uint256 id,uint256 value)',
    'Swap(address indexed sender,uint256 amount0In,uint256 amount1In,uint256 amount0Out,uint256 amount1Out,address indexed to)',
    'Sync(uint112 reserve0,uint112 reserve1)',
    'Mint(address indexed sender,uint256 amount0,uint256 amount1)',
    'Burn(address indexed sender,uint256 amount0,uint256 amount1,address indexed to)',
  ],
  errors: [
    'Error(string message)',
    'Panic(uint256 code)',
    'ERC20InsufficientBalance(address sender,uint256 balance,uint256 needed)',
    'ERC20InsufficientAllowance(address spender,uint256 allowance,uint256 needed)',
  ],
} as const

/** `folder` holds contract artifacts; other files in it are passed over. */
export function readKnownAbis(folder: string): AbiDocument {
  const functions: Record<string, string> = {}
  const errors: Record<string, string> = {}
  const events: Record<string, string[]> = {}
  const addEvent = (declaration: string) => {
    const topic = hashOf(declaration)
    const known = events[topic] ?? []
    if (!known.some((other) => shapeOf(other) === shapeOf(declaration))) events[topic] = [...known, declaration]
  }
  for (const declaration of STANDARDS.functions) functions[selectorOf(declaration)] ??= declaration
  for (const declaration of STANDARDS.errors) errors[selectorOf(declaration)] ??= declaration
  for (const declaration of STANDARDS.events) addEvent(declaration)
  for (const entry of readEntries(folder)) {
    const declaration = `${entry.name}(${(entry.inputs ?? []).map(parameter).join(',')})`
    if (entry.type === 'function') functions[selectorOf(declaration)] ??= declaration
    else if (entry.type === 'error') errors[selectorOf(declaration)] ??= declaration
    else addEvent(declaration)
  }
  return { functions, errors, events }
}

function readEntries(folder: string): readonly AbiEntry[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[A-Z]\w*\.json$/.test(entry.name))
    .flatMap((entry) => decodeArtifact(JSON.parse(readFileSync(join(entry.parentPath, entry.name), 'utf8'))).abi)
    .filter(({ type, name }) => name !== undefined && (type === 'function' || type === 'error' || type === 'event'))
}

function parameter({ name, type, indexed, components }: AbiParameter): string {
  const shown = type.startsWith('tuple') ? `(${(components ?? []).map(parameter).join(',')})${type.slice('tuple'.length)}` : type
  return `${shown}${indexed === true ? ' indexed' : ''}${name === '' ? '' : ` ${name}`}`
}

/** Without names, as it is hashed. */
function canonical(declaration: string): string {
  return declaration.replace(/ indexed/g, '').replace(/ \w+(?=[,)])/g, '')
}

const shapeOf = (declaration: string) =>
  declaration
    .split(',')
    .map((part) => part.includes(' indexed'))
    .join()
const hashOf = (declaration: string) => bytesToHex(keccak256(utf8ToBytes(canonical(declaration))))
const selectorOf = (declaration: string) => hashOf(declaration).slice(0, 10)
