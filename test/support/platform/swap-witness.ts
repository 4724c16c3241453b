import assert from 'node:assert/strict'
import { LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { type Address, createPublicClient, formatUnits, type Hex, http, parseAbi, parseEventLogs } from 'viem'
import { rpcCall } from '../json-rpc.ts'

const { UniswapV2Factory, TestDollar, PriceFeedNativeUsd, PriceFeedDollarUsd } = LIQUIDITY_CONTRACTS
const FACTORY = parseAbi(['function getPair(address, address) view returns (address)'])
const SWAP = parseAbi([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
])
const FEED = parseAbi([
  'function latestRoundData() view returns (uint80, int256 answer, uint256, uint256, uint80)',
  'function decimals() view returns (uint8)',
])
const ERC20 = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
])
const NATIVE_DECIMALS = 18
export const DOLLAR_DECIMALS = 6

export interface WitnessedSwap {
  readonly hash: Hex
  readonly sells: 'native' | 'dollars'
  readonly native: number
  readonly dollars: number
  readonly dollarUnits: bigint
  readonly nativeUsd: number
  readonly dollarUsd: number
  readonly feeUsd: number
}

export interface SwapWitness {
  hashes(account: Address): Promise<readonly Hex[]>
  swap(hash: Hex, account: Address): Promise<WitnessedSwap>
  nativeUsd(): Promise<number>
  sent(account: Address): Promise<number>
  dollars(account: Address): Promise<bigint>
}

export async function createSwapWitness(rpcUrl: string): Promise<SwapWitness> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const pair = await client.readContract({
    address: UniswapV2Factory,
    abi: FACTORY,
    functionName: 'getPair',
    args: [PREDEPLOYS.WETH, TestDollar],
  })
  const wrappedIsFirst = BigInt(PREDEPLOYS.WETH) < BigInt(TestDollar)

  async function feed(address: Address, blockNumber?: bigint): Promise<number> {
    const at = blockNumber === undefined ? {} : { blockNumber }
    const [, answer] = await client.readContract({ address, abi: FEED, functionName: 'latestRoundData', ...at })
    return Number(formatUnits(answer, await client.readContract({ address, abi: FEED, functionName: 'decimals' })))
  }
  const dollars = (account: Address, blockNumber?: bigint) =>
    client.readContract({
      address: TestDollar,
      abi: ERC20,
      functionName: 'balanceOf',
      args: [account],
      ...(blockNumber === undefined ? {} : { blockNumber }),
    } as const)

  async function feeWei(hash: Hex): Promise<bigint> {
    const { gasUsed, effectiveGasPrice } = await client.getTransactionReceipt({ hash })
    const raw = await rpcCall<{ l1Fee?: Hex }>(rpcUrl, 'eth_getTransactionReceipt', [hash])
    return gasUsed * effectiveGasPrice + BigInt(raw.l1Fee ?? 0)
  }

  async function allowancesBefore(swap: Hex, account: Address): Promise<readonly Hex[]> {
    const logs = await client.getContractEvents({
      address: TestDollar,
      abi: ERC20,
      eventName: 'Approval',
      args: { owner: account },
      fromBlock: 0n,
    } as const)
    const sent = await Promise.all(logs.map(({ transactionHash }) => client.getTransaction({ hash: transactionHash })))
    const given: Hex[] = []
    for (let { nonce } = await client.getTransaction({ hash: swap }); ; nonce--) {
      const before = sent.find((each) => each.nonce === nonce - 1 && each.to?.toLowerCase() === TestDollar.toLowerCase())
      if (before === undefined) return given
      given.push(before.hash)
    }
  }

  return {
    async hashes(account) {
      const logs = await client.getContractEvents({ address: pair, abi: SWAP, fromBlock: 0n })
      const senders = await Promise.all(logs.map(async ({ transactionHash: hash }) => (await client.getTransaction({ hash })).from))
      return logs.filter((_, i) => senders[i]?.toLowerCase() === account.toLowerCase()).map(({ transactionHash }) => transactionHash)
    },
    async swap(hash, account) {
      const receipt = await client.getTransactionReceipt({ hash })
      assert.equal(receipt.status, 'success')
      const own = receipt.logs.filter(({ address }) => address.toLowerCase() === pair.toLowerCase())
      const found = parseEventLogs({ abi: SWAP, logs: own })
      assert.equal(found.length, 1, `${hash} has ${found.length} swaps in the pool`)
      const { amount0In, amount1In, amount0Out, amount1Out } = (found[0] as (typeof found)[0]).args
      const [nativeIn, dollarsIn] = wrappedIsFirst ? [amount0In, amount1In] : [amount1In, amount0In]
      const [nativeOut, dollarsOut] = wrappedIsFirst ? [amount0Out, amount1Out] : [amount1Out, amount0Out]
      const sells = nativeIn > 0n ? 'native' : 'dollars'
      const [nativeWei, dollarUnits] = sells === 'native' ? [nativeIn, dollarsOut] : [nativeOut, dollarsIn]
      const { blockNumber } = receipt
      const [after, before] = await Promise.all([dollars(account, blockNumber), dollars(account, blockNumber - 1n)])
      assert.equal(after - before, sells === 'native' ? dollarUnits : -dollarUnits, 'the balance changed by another amount than the swap')
      const allowances = sells === 'native' ? [] : await allowancesBefore(hash, account)
      const fees = await Promise.all([hash, ...allowances].map(feeWei))
      const paidWei = fees.reduce((sum, fee) => sum + fee, 0n)
      const [nativeUsd, dollarUsd] = await Promise.all([feed(PriceFeedNativeUsd, blockNumber), feed(PriceFeedDollarUsd, blockNumber)])
      return {
        hash,
        sells,
        dollarUnits,
        nativeUsd,
        dollarUsd,
        native: Number(formatUnits(nativeWei, NATIVE_DECIMALS)),
        dollars: Number(formatUnits(dollarUnits, DOLLAR_DECIMALS)),
        feeUsd: Number(formatUnits(paidWei, NATIVE_DECIMALS)) * nativeUsd,
      }
    },
    nativeUsd: () => feed(PriceFeedNativeUsd),
    sent: (address) => client.getTransactionCount({ address }),
    dollars: (account) => dollars(account),
  }
}
