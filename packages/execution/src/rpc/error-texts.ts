/** Libraries and tools recognize geth's exact texts; details follow them. */
import { RPC_ERROR_NUMBERS, TOO_MANY_ARGUMENTS } from '@keelson/runtime'
import type { PoolRejection } from '../txpool/pool-types.ts'

const { server, invalidParams, methodNotFound } = RPC_ERROR_NUMBERS
/** EIP-1474. Client libraries halve the block range on any error except access and rate errors. */
const LIMIT_EXCEEDED = -32005
/** EIP-1474. Used for conditional transactions. */
const TRANSACTION_REJECTED = -32003

export const RPC_ERRORS = {
  missingArgument: [invalidParams, 'missing value for required argument'],
  tooManyArguments: [invalidParams, TOO_MANY_ARGUMENTS],
  invalidArgument: [invalidParams, 'invalid argument'],
  blockHashWithNumber: [invalidParams, 'cannot specify both BlockHash and BlockNumber, choose one or the other'],
  noBlockHashOrNumber: [invalidParams, 'must specify either BlockHash or BlockNumber'],
  dataAndInput: [invalidParams, 'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data'],
  gasPriceAndMaxFee: [invalidParams, 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified'],
  blockRange: [invalidParams, 'invalid block range params'],
  blockRangeBeyondHead: [invalidParams, 'block range extends beyond current head block'],
  blockHashWithRange: [invalidParams, "can't specify fromBlock/toBlock with blockHash"],
  maxTopics: [invalidParams, 'exceed max topics'],
  maxFilterTerms: [invalidParams, 'exceed max addresses or topics per search position'],
  headerNotFound: [server, 'header not found'],
  headerForHashNotFound: [server, 'header for hash not found'],
  notCanonical: [server, 'hash is not currently canonical'],
  unknownBlock: [server, 'unknown block'],
  blockNotFound: [server, 'block not found'],
  beyondHead: [server, 'request beyond head block'],
  invalidPercentile: [server, 'invalid reward percentile'],
  missingTrieNode: [server, 'missing trie node'],
  stateSyncing: [server, 'the state is being fetched from peers; eth_syncing says how far it is'],
  gasAllowance: [server, 'gas required exceeds allowance'],
  fundsForTransfer: [server, 'insufficient funds for transfer'],
  shortTransaction: [server, 'typed transaction too short'],
  malformedTransaction: [server, 'rlp:'],
  conditionFailed: [TRANSACTION_REJECTED, 'failed'],
  conditionCost: [LIMIT_EXCEEDED, 'conditional cost,'],
  conditionRate: [LIMIT_EXCEEDED, 'cost'],
  logRange: [LIMIT_EXCEEDED, 'query exceeds max block range'],
  logResults: [LIMIT_EXCEEDED, 'query exceeds max results'],
  filterNotFound: [server, 'filter not found'],
  subscriptionNotFound: [server, 'subscription not found'],
  noNotifications: [methodNotFound, 'notifications not supported'],
  noSuchSubscription: [methodNotFound, 'no'],
  transactionNotFound: [server, 'transaction not found'],
  genesisNotTraceable: [server, 'genesis is not traceable'],
  traceTimeout: [server, 'execution timeout'],
} as const satisfies Readonly<Record<string, readonly [number: number, text: string]>>

export type RpcErrorName = keyof typeof RPC_ERRORS

export const REJECTION_TEXTS: Readonly<Record<PoolRejection, string>> = {
  'type-not-supported': 'transaction type not supported',
  'chain-id-mismatch': 'invalid sender: invalid chain id for signer',
  'nonce-too-low': 'nonce too low',
  'nonce-too-high': 'nonce too high',
  'nonce-max': 'nonce has max value',
  'sender-not-eoa': 'sender not an eoa',
  'tip-above-fee-cap': 'max priority fee per gas higher than max fee per gas',
  'fee-cap-below-base-fee': 'max fee per gas less than block base fee',
  'insufficient-funds': 'insufficient funds for gas * price + value',
  'intrinsic-gas': 'intrinsic gas too low',
  'floor-data-gas': 'insufficient gas for floor data gas cost',
  'tx-gas-cap': 'transaction gas limit too high',
  'block-gas-limit': 'exceeds block gas limit',
  'init-code-too-large': 'max initcode size exceeded',
  'blob-gas-limit': 'transaction type not supported',
  'blob-fee-cap-below-base-fee': 'max fee per blob gas less than block blob gas fee',
  'blob-count': 'transaction type not supported',
  'blob-hash-version': 'transaction type not supported',
  'empty-authorization-list': 'set code tx must have at least one authorization tuple',
  'da-footprint-limit': 'exceeds block gas limit',
  'already-known': 'already known',
  'replacement-underpriced': 'replacement transaction underpriced',
  underpriced: 'transaction underpriced',
  'pool-full': 'txpool is full',
  'account-limit': 'account limit exceeded',
  oversized: 'oversized data',
  deposit: 'transaction type not supported',
  'invalid-sender': 'invalid sender',
  unprotected: 'only replay-protected (EIP-155) transactions allowed over RPC',
  'fee-above-cap': 'tx fee',
  'authority-reserved': 'authority already reserved',
  'delegated-gap': 'gapped-nonce tx from delegated accounts',
  'delegated-in-flight': 'in-flight transaction limit reached for delegated accounts',
}
