/** Declarations of the contracts that come with a rollup, by selector and topic. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AbiEntry, decodeArtifact } from '@keelson/contracts'
import { type AbiDocument, createAbiDocument, declarationsOf } from '../shared/abi-document.ts'

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
  const { functions, errors, events } = STANDARDS
  return createAbiDocument([
    ...functions.map((declaration) => ['functions', declaration] as const),
    ...errors.map((declaration) => ['errors', declaration] as const),
    ...events.map((declaration) => ['events', declaration] as const),
    ...declarationsOf(readEntries(folder)),
  ])
}

function readEntries(folder: string): readonly AbiEntry[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[A-Z]\w*\.json$/.test(entry.name))
    .flatMap((entry) => decodeArtifact(JSON.parse(readFileSync(join(entry.parentPath, entry.name), 'utf8'))).abi)
}
