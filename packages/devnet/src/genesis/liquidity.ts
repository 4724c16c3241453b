import { encodeCall, encodeParameters, LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { type Address, concatBytes, toAddress } from '@keelson/primitives'
import type { ContractFiles } from './contract-files.ts'
import { DEV_ROLES } from './devnet/dev-accounts.ts'
import type { DevnetParameters } from './devnet/devnet-parameters.ts'
import { type GenesisChain, type GenesisSession, runConstructor } from './genesis-session.ts'

export interface LiquidityOptions {
  readonly session: GenesisSession
  readonly chain: GenesisChain
  readonly contracts: ContractFiles
  /** Each gets tokens. */
  readonly holders: readonly Address[]
}

type BlockTime = Pick<DevnetParameters, 'l2BlockTimeSec'>

export interface PairAddresses {
  readonly PairNativeDollar: Address
  readonly PairNativeBitcoin: Address
  readonly PairDollars: Address
}

export interface LiquidityAddresses extends PairAddresses, Readonly<Record<keyof typeof LIQUIDITY_CONTRACTS, Address>> {}

const FEED_DECIMALS = 8n
const HEARTBEAT_SEC = 60
const USD = 10n ** FEED_DECIMALS
const PRICES = { native: 2_500n * USD, bitcoin: 100_000n * USD, dollar: USD } as const

interface Token {
  readonly address: Address
  readonly name: string
  readonly symbol: string
  readonly decimals: bigint
  readonly price: bigint
  readonly hundredths: { readonly perAccount: bigint; readonly mintPerDay: bigint; readonly mintPerDayOfAll: bigint }
}

const DOLLARS = { price: PRICES.dollar, hundredths: { perAccount: 100_000_00n, mintPerDay: 10_000_00n, mintPerDayOfAll: 100_000_00n } }
const DOLLAR: Token = { address: LIQUIDITY_CONTRACTS.TestDollar, name: 'Test Dollar', symbol: 'testUSD', decimals: 6n, ...DOLLARS }
const DOLLAR_18: Token = {
  address: LIQUIDITY_CONTRACTS.TestDollar18,
  name: 'Test Dollar, 18 decimals',
  symbol: 'testUSD18',
  decimals: 18n,
  ...DOLLARS,
}
const BITCOIN: Token = {
  address: LIQUIDITY_CONTRACTS.TestBitcoin,
  name: 'Test Bitcoin',
  symbol: 'testBTC',
  decimals: 8n,
  price: PRICES.bitcoin,
  hundredths: { perAccount: 5_00n, mintPerDay: 10n, mintPerDayOfAll: 1_00n },
}

const ETHER = 10n ** 18n
const POOL_WEI = { dollar: 5_000n * ETHER, bitcoin: 2_000n * ETHER } as const
/** In the pools at first. */
export const LIQUIDITY_WEI = POOL_WEI.dollar + POOL_WEI.bitcoin
const POOL_OF_DOLLARS = 1_000_000n
const NO_DEADLINE = (1n << 256n) - 1n
const ADMIN = DEV_ROLES.admin.address
const { UniswapV2Factory: FACTORY, UniswapV2Router02: ROUTER } = LIQUIDITY_CONTRACTS

/** Sets and then spends the admin's balance. */
export async function placeLiquidity(options: LiquidityOptions, parameters: BlockTime): Promise<PairAddresses> {
  await placeUniswap(options)
  await placeFeeds(options, parameters)
  const pools = {
    nativeDollar: tokensFor(POOL_WEI.dollar, DOLLAR),
    nativeBitcoin: tokensFor(POOL_WEI.bitcoin, BITCOIN),
    dollar: units(POOL_OF_DOLLARS, DOLLAR),
    dollar18: units(POOL_OF_DOLLARS, DOLLAR_18),
  }
  await issue(options, DOLLAR, pools.nativeDollar + pools.dollar)
  await issue(options, DOLLAR_18, pools.dollar18)
  await issue(options, BITCOIN, pools.nativeBitcoin)
  options.session.place(ADMIN, { balanceWei: LIQUIDITY_WEI })
  return {
    PairNativeDollar: await addNativePool(options.session, DOLLAR, POOL_WEI.dollar, pools.nativeDollar),
    PairNativeBitcoin: await addNativePool(options.session, BITCOIN, POOL_WEI.bitcoin, pools.nativeBitcoin),
    PairDollars: await addDollarPool(options.session, pools.dollar, pools.dollar18),
  }
}

async function placeUniswap(options: LiquidityOptions): Promise<void> {
  const { contracts } = options
  await place(options, FACTORY, contracts.uniswap('UniswapV2Factory'), encodeParameters('address', [ADMIN]))
  const router = encodeParameters('address,address', [FACTORY, PREDEPLOYS.WETH])
  await place(options, ROUTER, contracts.uniswap('UniswapV2Router02'), router)
}

async function placeFeeds(options: LiquidityOptions, { l2BlockTimeSec }: BlockTime): Promise<void> {
  const code = options.contracts.artifact('PriceFeed').bytecode
  const heartbeatBlocks = BigInt(Math.ceil(HEARTBEAT_SEC / l2BlockTimeSec))
  for (const [address, description, answer] of [
    [LIQUIDITY_CONTRACTS.PriceFeedNativeUsd, 'NATIVE / USD', PRICES.native],
    [LIQUIDITY_CONTRACTS.PriceFeedBitcoinUsd, 'BTC / USD', PRICES.bitcoin],
    [LIQUIDITY_CONTRACTS.PriceFeedDollarUsd, 'testUSD / USD', PRICES.dollar],
  ] as const) {
    const args = [description, FEED_DECIMALS, heartbeatBlocks, BigInt(l2BlockTimeSec), ADMIN, answer]
    await place(options, address, code, encodeParameters('string,uint8,uint64,uint64,address,int256', args))
  }
}

async function issue(options: LiquidityOptions, token: Token, forPools: bigint): Promise<void> {
  const { perAccount, mintPerDay, mintPerDayOfAll } = token.hundredths
  const amount = (hundredths: bigint) => units(hundredths, token) / 100n
  const supply = forPools + amount(perAccount) * BigInt(options.holders.length)
  const args = [token.name, token.symbol, token.decimals, amount(mintPerDay), amount(mintPerDayOfAll), ADMIN, supply]
  const encoded = encodeParameters('string,string,uint8,uint256,uint256,address,uint256', args)
  await place(options, token.address, options.contracts.artifact('TestToken').bytecode, encoded)
  for (const address of options.holders) {
    await options.session.call(ADMIN, token.address, encodeCall('transfer(address,uint256)', [address, amount(perAccount)]))
  }
}

async function addNativePool(session: GenesisSession, token: Token, valueWei: bigint, amount: bigint): Promise<Address> {
  const pair = await createPair(session, token.address, PREDEPLOYS.WETH)
  await approve(session, token, amount)
  const args = [token.address, amount, amount, valueWei, ADMIN, NO_DEADLINE]
  await session.call(ADMIN, ROUTER, encodeCall('addLiquidityETH(address,uint256,uint256,uint256,address,uint256)', args), { valueWei })
  return pair
}

async function addDollarPool(session: GenesisSession, amount: bigint, amount18: bigint): Promise<Address> {
  const pair = await createPair(session, DOLLAR.address, DOLLAR_18.address)
  await approve(session, DOLLAR, amount)
  await approve(session, DOLLAR_18, amount18)
  const signature = 'addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)'
  const args = [DOLLAR.address, DOLLAR_18.address, amount, amount18, amount, amount18, ADMIN, NO_DEADLINE]
  await session.call(ADMIN, ROUTER, encodeCall(signature, args))
  return pair
}

async function createPair(session: GenesisSession, a: Address, b: Address): Promise<Address> {
  const output = await session.call(ADMIN, FACTORY, encodeCall('createPair(address,address)', [a, b]))
  return toAddress(output.subarray(12))
}

async function approve(session: GenesisSession, token: Token, amount: bigint): Promise<void> {
  await session.call(ADMIN, token.address, encodeCall('approve(address,uint256)', [ROUTER, amount]))
}

async function place({ session, chain }: LiquidityOptions, address: Address, creation: Uint8Array, args: Uint8Array): Promise<void> {
  const { code, storage } = await runConstructor(chain, concatBytes(creation, args))
  session.place(address, { code, storage, nonce: 1n })
}

function units(whole: bigint, { decimals }: Token): bigint {
  return whole * 10n ** decimals
}

function tokensFor(valueWei: bigint, token: Token): bigint {
  return (valueWei * PRICES.native * units(1n, token)) / (token.price * ETHER)
}
