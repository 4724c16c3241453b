import assert from 'node:assert/strict'
import { join } from 'node:path'
import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { amountUnit } from '../client/data/abi/amount-unit.ts'
import { type Decoded, decodeArguments, decodeCall, decodeLog } from '../client/data/abi/decode.ts'
import { readKnownAbis } from '../server/known-abis.ts'
import { createAbiDocument } from '../shared/abi-document.ts'

const [ALICE, WETH, DOLLAR] = ['a1', 'b2', 'c3'].map((byte) => `0x${byte.repeat(20)}` as Hex) as [Hex, Hex, Hex]
const abis = readKnownAbis(join(import.meta.dirname, '../../../contracts/artifacts'))

/** `name kind` for each parameter that is an amount. */
const unitsOf = (decoded: Decoded | null) =>
  decoded?.values.flatMap((value) => {
    const unit = amountUnit(decoded, value)
    if (unit === null) return []
    return [`${value.name} ${unit.kind === 'token' ? unit.address : unit.kind === 'side' ? `token${unit.side}` : unit.kind}`]
  })

function callOf(signature: string, args: readonly unknown[]): Decoded | null {
  const declaration = signature.replace(/, /g, ',')
  const abi = parseAbi([`function ${signature}`] as readonly string[])
  const functionName = signature.slice(0, signature.indexOf('('))
  const known = createAbiDocument([['functions', declaration]])
  return decodeCall(encodeFunctionData({ abi, functionName, args: args as unknown[] }), known)
}

function eventOf(signature: string, indexed: Readonly<Record<string, Hex>>, types: readonly string[], values: readonly unknown[]) {
  const abi = parseAbi([`event ${signature}`] as readonly string[])
  const topics = encodeEventTopics({ abi, eventName: signature.slice(0, signature.indexOf('(')), args: indexed }) as Hex[]
  const data = encodeAbiParameters(
    types.map((type) => ({ type })),
    values as unknown[],
  )
  return decodeLog(topics, data, abis)
}

/** Signatures of EIP-20, Uniswap v2 (periphery and core), WETH9 and the OP Stack's bridge. */
const CALLS: readonly (readonly [signature: string, args: readonly unknown[], units: readonly string[]])[] = [
  ['transfer(address to, uint256 value)', [ALICE, 7n], ['value own']],
  ['approve(address spender, uint256 amount)', [ALICE, 7n], ['amount own']],
  ['withdraw(uint256 wad)', [7n], ['wad own']],
  [
    'swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
    [1n, 2n, [DOLLAR, WETH], ALICE, 9n],
    [`amountIn ${DOLLAR}`, `amountOutMin ${WETH}`],
  ],
  [
    'swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)',
    [2n, [WETH, DOLLAR], ALICE, 9n],
    [`amountOutMin ${DOLLAR}`],
  ],
  [
    'addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline)',
    [DOLLAR, 3n, 2n, 1n, ALICE, 9n],
    [`amountTokenDesired ${DOLLAR}`, `amountTokenMin ${DOLLAR}`, 'amountETHMin native'],
  ],
  [
    'addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)',
    [DOLLAR, WETH, 4n, 3n, 2n, 1n, ALICE, 9n],
    [`amountADesired ${DOLLAR}`, `amountBDesired ${WETH}`, `amountAMin ${DOLLAR}`, `amountBMin ${WETH}`],
  ],
  [
    'withdrawTo(address _l2Token, address _to, uint256 _amount, uint32 _minGasLimit, bytes _extraData)',
    [DOLLAR, ALICE, 5n, 200_000, '0x'],
    [`_amount ${DOLLAR}`],
  ],
  ['transferFrom(address from, address to, uint256 tokenId)', [ALICE, WETH, 7n], []],
  ['setFee(uint8 value)', [7], []],
  ['vote(uint256 proposal, bool support)', [7n, true], []],
]

describe('a decoded number', () => {
  for (const [signature, args, units] of CALLS)
    it(`of ${signature} counts the right token, or is no amount`, () => assert.deepEqual(unitsOf(callOf(signature, args)), units))

  it('of an event counts the token of the contract, of a side of the pair, or the native currency', () => {
    const transfer = 'Transfer(address indexed from, address indexed to, uint256 value)'
    assert.deepEqual(unitsOf(eventOf(transfer, { from: ALICE, to: WETH }, ['uint256'], [5n])), ['value own'])
    const swap =
      'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)'
    const four = ['uint256', 'uint256', 'uint256', 'uint256']
    assert.deepEqual(unitsOf(eventOf(swap, { sender: ALICE, to: WETH }, four, [1n, 0n, 0n, 2n])), [
      ...['amount0In token0', 'amount1In token1', 'amount0Out token0', 'amount1Out token1'],
    ])
    assert.deepEqual(unitsOf(eventOf('Sync(uint112 reserve0, uint112 reserve1)', {}, ['uint112', 'uint112'], [1n, 2n])), [
      'reserve0 token0',
      'reserve1 token1',
    ])
    const ether = 'ETHBridgeFinalized(address indexed from, address indexed to, uint256 amount, bytes extraData)'
    assert.deepEqual(unitsOf(eventOf(ether, { from: ALICE, to: WETH }, ['uint256', 'bytes'], [5n, '0x'])), ['amount native'])
    const token =
      'ERC20BridgeFinalized(address indexed localToken, address indexed remoteToken, address indexed from, address to, uint256 amount, bytes extraData)'
    const finalized = eventOf(
      token,
      { localToken: DOLLAR, remoteToken: WETH, from: ALICE },
      ['address', 'uint256', 'bytes'],
      [ALICE, 5n, '0x'],
    )
    assert.deepEqual(unitsOf(finalized), [`amount ${DOLLAR}`])
  })

  it('that balanceOf returns without a name counts the contract, one of another function nothing', () => {
    const five = encodeAbiParameters([{ type: 'uint256' }], [5n])
    assert.deepEqual(unitsOf(decodeArguments('balanceOf(uint256)', five)), [' own'])
    assert.deepEqual(unitsOf(decodeArguments('nonces(uint256)', five)), [])
  })
})
