/** Tools for the configured chains: blocks, gas and tokens. */
import { toChecksumAddress, toHash } from '@keelson/primitives'
import { z } from 'zod'
import type { BlockAt, BlockFacts } from '../market/chain/blocks.ts'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import type { Chains } from '../market/chain/chains.ts'
import { NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import { formatAmount } from '../market/decimal.ts'
import { problem, succeeded, type ToolOutcome } from '../market/tool-outcome.ts'
import { normalizeToken } from '../trading/evm-address.ts'
import { ChainArgument, chainSource, onChain } from './chain-choice.ts'
import { unknownToken } from './swap-arguments.ts'
import { findToken, type TokenNames } from './token-names.ts'
import { type AnyTool, defineTool } from './tool.ts'

const GWEI_DECIMALS = 9
const HASH = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected the hash of a block: 0x and 64 hex digits')

export interface BlockResult {
  readonly chain: string
  readonly chain_id: number
  readonly number: number
  readonly hash: string
  readonly parent_hash: string
  readonly timestamp: string
  readonly transactions: number
  readonly gas_used: string
  readonly gas_limit: string
  readonly base_fee_wei: string | null
  readonly source: string
}

export interface GasResult {
  readonly chain: string
  readonly chain_id: number
  readonly gas_price_wei: string
  readonly gas_price_gwei: string
  readonly base_fee_wei: string | null
  readonly source: string
}

export interface TokenResult {
  readonly address: string
  readonly symbol: string
  readonly decimals: number
  /** True for configured tokens; only those have a price. */
  readonly known: boolean
  readonly native: boolean
}

export interface ChainResult {
  readonly id: number
  readonly name: string
  readonly other_names: readonly string[]
  readonly native_symbol: string
  readonly exchange: string | null
  readonly price_pairs: readonly string[]
}

export function createChainTools({ chains, names }: { readonly chains: Chains | null; readonly names: TokenNames }): readonly AnyTool[] {
  const shared = { access: 'public', effect: 'reads' } as const
  return [
    defineTool({
      ...shared,
      name: 'chains_list',
      title: 'Chains',
      description: 'The configured chains, with the pairs of their price feeds. The first is the default.',
      input: z.strictObject({}),
      call: async () =>
        succeeded({
          chains: (chains?.all ?? []).map(
            ({ config }): ChainResult => ({
              id: config.id,
              name: config.name,
              other_names: config.aliases,
              native_symbol: config.native.symbol,
              exchange: config.exchange?.venue ?? null,
              price_pairs: config.feeds.map(({ base, quote }) => `${base}/${quote}`),
            }),
          ),
          source: "the platform's configuration",
        }),
    }),
    defineTool({
      ...shared,
      name: 'block_latest',
      title: 'Newest block',
      description: 'The newest block of a chain: number, hash, time, transactions, gas. From the RPC of the chain.',
      input: z.strictObject({ chain: ChainArgument }),
      call: ({ chain }) => onChain(chains, chain, async (reader) => succeeded(blockResult(reader, await reader.latest()))),
    }),
    defineTool({
      ...shared,
      name: 'block_by_number',
      title: 'Block by number',
      description: 'A block of a chain by its number. From the RPC of the chain.',
      input: z.strictObject({ number: z.int().min(0), chain: ChainArgument }),
      call: ({ number, chain }) => onChain(chains, chain, (reader) => blockAt(reader, number)),
    }),
    defineTool({
      ...shared,
      name: 'block_by_hash',
      title: 'Block by hash',
      description: 'A block of a chain by its hash. From the RPC of the chain.',
      input: z.strictObject({ hash: HASH, chain: ChainArgument }),
      call: ({ hash, chain }) => onChain(chains, chain, (reader) => blockAt(reader, toHash(hash.toLowerCase()))),
    }),
    defineTool({
      ...shared,
      name: 'gas_price',
      title: 'Gas price',
      description: 'Current gas price of a chain as the node proposes it, and the base fee. From the RPC of the chain.',
      input: z.strictObject({ chain: ChainArgument }),
      call: ({ chain }) =>
        onChain(chains, chain, async (reader) => {
          const [{ gasPriceWei }, block] = await Promise.all([reader.gas(), reader.latest()])
          return succeeded<GasResult>({
            ...chainFields(reader),
            gas_price_wei: String(gasPriceWei),
            gas_price_gwei: formatAmount(gasPriceWei, GWEI_DECIMALS),
            base_fee_wei: block.baseFeeWei === null ? null : String(block.baseFeeWei),
            source: chainSource(reader, block.number),
          })
        }),
    }),
    defineTool({
      ...shared,
      name: 'tokens_list',
      title: 'Tokens',
      description: 'The configured tokens of a chain: symbol, address, decimals. The native currency comes first.',
      input: z.strictObject({ chain: ChainArgument }),
      call: ({ chain }) =>
        onChain(chains, chain, async (reader) => {
          const { native } = reader.config
          const listed = await reader.knownTokens()
          const tokens: readonly TokenResult[] = [
            { address: NATIVE_ADDRESS, ...native, known: true, native: true },
            ...listed.map(({ address, symbol, decimals, known }) => ({
              ...{ address: toChecksumAddress(address), symbol, decimals, known },
              native: false,
            })),
          ]
          return succeeded({ ...chainFields(reader), tokens, source: chainSource(reader) })
        }),
    }),
    defineTool({
      ...shared,
      name: 'token_info',
      title: 'Token',
      description: 'Symbol and decimals of a token, by its address or by the symbol of a configured token. From its contract.',
      input: z.strictObject({ token: z.string().min(1).max(64).describe('Symbol or address'), chain: ChainArgument }),
      call: ({ token, chain }) =>
        onChain(chains, chain, async (reader) => {
          const known = await names.of(reader)
          const address = findToken(known, token)
          if (address === null) return unknownToken(token, known, reader)
          const facts = await reader.token(normalizeToken(address))
          if (facts === null) return problem('not-found', `there is no token at ${address} on ${reader.config.name}`)
          const { symbol, decimals } = facts
          return succeeded({
            ...chainFields(reader),
            ...{
              address: toChecksumAddress(facts.address),
              symbol,
              decimals,
              known: facts.known,
              native: facts.address === NATIVE_ADDRESS,
            },
            source: chainSource(reader),
          })
        }),
    }),
  ]
}

function chainFields({ config }: ChainReader) {
  return { chain: config.name, chain_id: config.id }
}

async function blockAt(reader: ChainReader, at: BlockAt): Promise<ToolOutcome<BlockResult>> {
  const block = await reader.block(at)
  return block === null ? problem('not-found', `${reader.config.name} has no block ${at}`) : succeeded(blockResult(reader, block))
}

function blockResult(reader: ChainReader, block: BlockFacts): BlockResult {
  return {
    ...chainFields(reader),
    number: block.number,
    hash: block.hash,
    parent_hash: block.parentHash,
    timestamp: new Date(block.timestampSec * 1000).toISOString(),
    transactions: block.transactions,
    gas_used: String(block.gasUsed),
    gas_limit: String(block.gasLimit),
    base_fee_wei: block.baseFeeWei === null ? null : String(block.baseFeeWei),
    source: chainSource(reader, block.number),
  }
}
