import { type Hash, toChecksumAddress, toHash } from '@keelson/primitives'
import { z } from 'zod'
import type { BlockAt, BlockFacts } from '../market/chain/blocks.ts'
import type { ChainConfig } from '../market/chain/chain-config.ts'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import { type Chains, onChain } from '../market/chain/chains.ts'
import { NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import type { TransactionFacts } from '../market/chain/transactions.ts'
import { formatAmount } from '../market/decimal.ts'
import { problem, succeeded } from '../market/tool-outcome.ts'
import { optional } from '../schemas/fields/optional.ts'
import type { TokenNames } from './token-names.ts'
import { type AnyTool, publicTool } from './tool.ts'

const GWEI_DECIMALS = 9

export const ChainArgument = optional(z.string().min(1).max(64)).describe('Name or id of a configured chain; default: the first one')
export const TokenArgument = z.string().min(1).max(64).describe('Symbol of a configured token, or an address')

export interface ChainToolDependencies {
  readonly chains: Chains | null
  readonly names: TokenNames
}

/** `chain devnet (901) at block 7`. */
export function chainSource({ name, id }: Pick<ChainConfig, 'name' | 'id'>, blockNumber?: number): string {
  return `chain ${name} (${id})${blockNumber === undefined ? '' : ` at block ${blockNumber}`}`
}

export function createChainTools({ chains, names }: ChainToolDependencies): readonly AnyTool[] {
  const blockAt = (chain: string | undefined, at: BlockAt) =>
    onChain(chains, chain, async (reader) => {
      const block = await reader.block(at)
      return block === null ? problem('not-found', `${reader.config.name} has no block ${at}`) : succeeded(blockResult(reader, block))
    })
  return [
    publicTool({
      name: 'chains_list',
      title: 'Chains',
      description: 'The configured chains, with the pairs of their price feeds. The first is the default.',
      input: z.strictObject({}),
      call: async () =>
        succeeded({
          chains: (chains?.all ?? []).map(({ config }) => ({
            id: config.id,
            name: config.name,
            other_names: config.aliases,
            native_symbol: config.native.symbol,
            exchange: config.exchange?.venue ?? null,
            price_pairs: config.feeds.map(({ base, quote }) => `${base}/${quote}`),
          })),
          source: "the platform's configuration",
        }),
    }),
    publicTool({
      name: 'block_latest',
      title: 'Newest block',
      description: 'The newest block of a chain: number, hash, time, transactions, gas. From the RPC of the chain.',
      input: z.strictObject({ chain: ChainArgument }),
      call: ({ chain }) => onChain(chains, chain, async (reader) => succeeded(blockResult(reader, await reader.latest()))),
    }),
    publicTool({
      name: 'block_by_number',
      title: 'Block by number',
      description: 'A block of a chain by its number. From the RPC of the chain.',
      input: z.strictObject({ number: z.int().min(0), chain: ChainArgument }),
      call: ({ number, chain }) => blockAt(chain, number),
    }),
    publicTool({
      name: 'block_by_hash',
      title: 'Block by hash',
      description: 'A block of a chain by its hash. From the RPC of the chain.',
      input: z.strictObject({
        hash: z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected the hash of a block: 0x and 64 hex digits'),
        chain: ChainArgument,
      }),
      call: ({ hash, chain }) => blockAt(chain, toHash(hash.toLowerCase())),
    }),
    publicTool({
      name: 'transaction_status',
      title: 'Transaction',
      description: 'Whether a transaction of a chain was mined and succeeded, by its hash. From the RPC of the chain.',
      input: z.strictObject({
        tx_hash: z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected the hash of a transaction: 0x and 64 hex digits'),
        chain: ChainArgument,
      }),
      call: ({ tx_hash, chain }) =>
        onChain(chains, chain, async (reader) => {
          const hash = toHash(tx_hash.toLowerCase())
          const found = await reader.transaction(hash)
          if (found === null) return problem('not-found', `${reader.config.name} knows no transaction ${hash}`)
          return succeeded(transactionResult(reader, hash, found))
        }),
    }),
    publicTool({
      name: 'gas_price',
      title: 'Gas price',
      description: 'Current gas price of a chain as the node proposes it, and the base fee. From the RPC of the chain.',
      input: z.strictObject({ chain: ChainArgument }),
      call: ({ chain }) =>
        onChain(chains, chain, async (reader) => {
          const [gasPriceWei, block] = await Promise.all([reader.gasPriceWei(), reader.latest()])
          return succeeded({
            chain: reader.config.name,
            chain_id: reader.config.id,
            gas_price_wei: String(gasPriceWei),
            gas_price_gwei: formatAmount(gasPriceWei, GWEI_DECIMALS),
            base_fee_wei: block.baseFeeWei === null ? null : String(block.baseFeeWei),
            source: chainSource(reader.config, block.number),
          })
        }),
    }),
    publicTool({
      name: 'tokens_list',
      title: 'Tokens',
      description: 'The configured tokens of a chain: symbol, address, decimals. The native currency comes first.',
      input: z.strictObject({ chain: ChainArgument }),
      call: ({ chain }) =>
        onChain(chains, chain, async (reader) => {
          const { name, id, native } = reader.config
          const listed = await reader.knownTokens()
          const tokens = [
            { address: NATIVE_ADDRESS, ...native, known: true, native: true },
            ...listed.map((token) => ({ ...token, address: toChecksumAddress(token.address), native: false })),
          ]
          return succeeded({ chain: name, chain_id: id, tokens, source: chainSource(reader.config) })
        }),
    }),
    publicTool({
      name: 'token_info',
      title: 'Token',
      description: 'Symbol and decimals of a token, by its address or by the symbol of a configured token. From its contract.',
      input: z.strictObject({ token: TokenArgument, chain: ChainArgument }),
      call: ({ token, chain }) =>
        onChain(chains, chain, async (reader) => {
          const found = await names.find(reader, token)
          if (!found.ok) return found
          const facts = await reader.token(found.value)
          const { name, id } = reader.config
          if (facts === null) return problem('not-found', `there is no token at ${found.value} on ${name}`)
          const native = facts.address === NATIVE_ADDRESS
          const address = toChecksumAddress(facts.address)
          return succeeded({ chain: name, chain_id: id, ...facts, address, native, source: chainSource(reader.config) })
        }),
    }),
  ]
}

function blockResult({ config }: ChainReader, block: BlockFacts) {
  return {
    chain: config.name,
    chain_id: config.id,
    number: block.number,
    hash: block.hash,
    parent_hash: block.parentHash,
    timestamp: new Date(block.timestampSec * 1000).toISOString(),
    transactions: block.transactions,
    gas_used: String(block.gasUsed),
    gas_limit: String(block.gasLimit),
    base_fee_wei: block.baseFeeWei === null ? null : String(block.baseFeeWei),
    source: chainSource(config, block.number),
  }
}

function transactionResult({ config }: ChainReader, hash: Hash, { from, to, mined }: TransactionFacts) {
  const status = mined === null ? 'pending' : mined.success ? 'success' : 'failed'
  const meanings = {
    pending: 'it waits for a block',
    success: 'it went through',
    failed: 'it was mined and reverted, so it changed nothing but paid its gas',
  }
  return {
    chain: config.name,
    tx_hash: hash,
    status,
    meaning: meanings[status],
    block_number: mined?.blockNumber ?? null,
    timestamp: mined === null ? null : new Date(mined.timestampSec * 1000).toISOString(),
    confirmations: mined?.confirmations ?? null,
    from,
    to,
    gas_used: mined === null ? null : String(mined.gasUsed),
    explorer_url: config.explorerUrl === null ? null : `${config.explorerUrl.replace(/\/+$/, '')}/tx/${hash}`,
    source: chainSource(config, mined?.blockNumber),
  }
}
