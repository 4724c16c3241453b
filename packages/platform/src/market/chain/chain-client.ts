/** Limits the time and size of requests, and checks the chain id once. */
import { ClientError, createHttpRpcClient, type RpcClient, RpcResponseError } from '@keelson/client'
import type { Clock, Logger, Random } from '@keelson/primitives'
import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createPublicClient,
  custom,
  defineChain,
  type PublicClient,
  RpcRequestError,
} from 'viem'
import { SourceError, type SourceFailure } from '../source-error.ts'
import type { ChainConfig } from './chain-config.ts'

export interface ChainDependencies {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

interface ContractRead {
  readonly address: `0x${string}`
  readonly abi: Abi
  readonly functionName: string
  readonly args?: readonly unknown[]
}

export type ChainClient = ReturnType<typeof createChainClient>

const MAX_RESPONSE_BYTES = 16 * 1024 * 1024
const ATTEMPTS = { attempts: 2, baseDelayMs: 200, maxDelayMs: 1_000 }
const MULTICALL_BYTES = 32_768
const PAGE_SIZE = 16

export function openChainRpc({ rpcUrl: url, timeoutMs }: ChainConfig, dependencies: ChainDependencies): RpcClient {
  return createHttpRpcClient({ url, timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES, retry: ATTEMPTS }, dependencies)
}

export function createChainClient(config: ChainConfig, dependencies: ChainDependencies) {
  const rpc = openChainRpc(config, dependencies)
  const label = `chain ${config.name} (${rpc.host})`
  const viem = createPublicClient({
    chain: defineChain({
      id: config.id,
      name: config.name,
      nativeCurrency: { name: config.native.symbol, ...config.native },
      rpcUrls: { default: { http: [config.rpcUrl] } },
    }),
    cacheTime: 0,
    transport: custom({ request: ({ method, params }) => request(method, params ?? []) }, { retryCount: 0 }),
  })

  /** viem decodes reverts from its own errors only. */
  function request(method: string, params: readonly unknown[]): Promise<unknown> {
    return rpc.call(method, params).catch((error: unknown) => {
      if (!(error instanceof RpcResponseError)) throw error
      const body = { code: error.number, message: error.text, data: error.data }
      throw new RpcRequestError({ body: { method }, error: body, url: rpc.host })
    })
  }

  async function guarded<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question()
    } catch (error) {
      throw asSourceError(label, error)
    }
  }

  let rightChain: Promise<void> | null = null
  function checkChain(): Promise<void> {
    rightChain ??= guarded(async () => {
      const id = await viem.getChainId()
      if (id !== config.id) throw new SourceError(label, 'bad-answer', `expected a node of chain ${config.id}, got one of chain ${id}`)
    }).catch((error: unknown) => {
      rightChain = null
      throw error
    })
    return rightChain
  }

  const readSingly = (reads: readonly ContractRead[], blockNumber: bigint): Promise<unknown[]> =>
    inPages(reads, (read) => guarded(() => viem.readContract({ ...read, blockNumber }).catch(nullOfRevert)))

  return {
    config,
    label,
    /** Throws SourceError. */
    async ask<T>(question: (client: PublicClient) => Promise<T>): Promise<T> {
      await checkChain()
      return guarded(() => question(viem))
    },
    /** Null for a call that reverts or finds no such function. Throws SourceError. */
    async readMany(reads: readonly ContractRead[], block: number): Promise<readonly unknown[]> {
      await checkChain()
      const blockNumber = BigInt(block)
      const { multicall } = config
      if (reads.length === 0) return []
      if (multicall === null) return readSingly(reads, blockNumber)
      const outcomes = await guarded(() =>
        viem.multicall({ contracts: reads, multicallAddress: multicall, blockNumber, batchSize: MULTICALL_BYTES, allowFailure: true }),
      )
      // Multicall3 may be missing at that block
      if (outcomes.every(({ status }) => status === 'failure')) return readSingly(reads, blockNumber)
      return guarded(async () => outcomes.map((outcome) => (outcome.status === 'success' ? outcome.result : nullOfRevert(outcome.error))))
    },
    close: () => rpc.close(),
  }
}

export async function inPages<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = []
  for (let from = 0; from < items.length; from += PAGE_SIZE)
    answers.push(...(await Promise.all(items.slice(from, from + PAGE_SIZE).map(read))))
  return answers
}

function nullOfRevert(error: unknown): null {
  const ofContract = (cause: unknown) => cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError
  if (error instanceof BaseError && error.walk(ofContract) !== null) return null
  throw error
}

const FAILURES: Partial<Record<ClientError['code'], SourceFailure>> = {
  'client/unreachable': 'unreachable',
  'client/timeout': 'timeout',
  'client/aborted': 'timeout',
  'client/bad-answer': 'bad-answer',
  'client/too-large': 'too-large',
}

function asSourceError(label: string, error: unknown): SourceError {
  if (error instanceof SourceError) return error
  const cause = error instanceof BaseError ? error.walk((inner) => inner instanceof ClientError) : error
  if (cause instanceof ClientError) return new SourceError(label, FAILURES[cause.code] ?? 'refused', cause.message, { cause: error })
  // viem's long messages repeat the request
  if (error instanceof BaseError) return new SourceError(label, 'refused', error.details || error.shortMessage, { cause: error })
  throw error
}
