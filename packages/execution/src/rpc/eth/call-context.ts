import { ethParameters } from '@keelson/chainspec'
import { precompileChanges, type SimulatedCall, type SimulationContext, type StateView } from '@keelson/evm'
import { bytesToHex, toHash } from '@keelson/primitives'
import type { SealedHeader } from '../../chain/chain-reader.ts'
import { serverError } from '../errors.ts'
import { argument, getBlock, LATEST, optionalArgument, parseBlockSelector } from '../params.ts'
import type { CallDependencies } from '../rpc-dependencies.ts'
import { getView } from '../state-view.ts'
import { type BlockOverrides, parseBlockOverrides, parseStateOverrides } from './call-overrides.ts'
import { type CallRequest, parseCallRequest, simulatedCall } from './call-request.ts'

export interface PreparedCall {
  readonly request: CallRequest
  readonly block: SealedHeader
  readonly context: SimulationContext
  readonly balanceWei: bigint
  readonly cap: bigint
  readonly gasLimit: bigint
  call(gas: bigint): SimulatedCall
  callWithList(gas: bigint): SimulatedCall
}

/** Parses call, block, state overrides and block overrides. Throws invalid params. */
export function parseCallArguments(params: readonly unknown[]) {
  return {
    request: argument(params, 0, parseCallRequest),
    selector: optionalArgument(params, 1, LATEST, parseBlockSelector),
    overrides: optionalArgument(params, 2, [], parseStateOverrides),
    blockOverrides: optionalArgument(params, 3, null, parseBlockOverrides),
  }
}

/** Throws invalid params, `header not found` or `missing trie node`. */
export function prepareCall(deps: CallDependencies, params: readonly unknown[]): PreparedCall {
  return prepareParsedCall(deps, parseCallArguments(params), null)
}

/** `state` replaces that of the block. Throws as prepareCall. */
export function prepareParsedCall(
  deps: CallDependencies,
  { request, selector, overrides, blockOverrides }: ReturnType<typeof parseCallArguments>,
  state: StateView | null,
): PreparedCall {
  const { chain, options } = deps
  const block = getBlock(chain, selector)
  const view = state ?? getView(chain, deps.state, block)
  const header = blockOverrides === null ? block.header : overriddenHeader(block, blockOverrides)
  if (blockOverrides !== null) refuseBlockOnly(blockOverrides)
  const rules = deps.rules.rulesAt(header)
  const changes = precompileChanges(overrides, overrides.length === 0 ? [] : deps.evm.precompiles(rules))
  if (typeof changes === 'string') throw serverError(changes)
  const blobBaseFeeWei = blockOverrides?.blobBaseFeeWei ?? null
  const context: SimulationContext = {
    engine: deps.evm,
    view,
    header,
    rules,
    chainId: deps.chainId,
    crypto: deps.crypto,
    blockHash: (number) => chain.ancestorHash(block, number),
    overrides,
    session: { precompileChanges: changes },
    ...(blobBaseFeeWei === null ? {} : { env: { blobBaseFeeWei } }),
  }
  const override = overrides.find((o) => bytesToHex(o.address) === bytesToHex(request.from))
  const account = view.account(request.from)
  const balanceWei = override?.balanceWei ?? account?.balanceWei ?? 0n
  const nonce = request.nonce ?? override?.nonce ?? account?.nonce ?? 0n
  const cap = options.callGasCap
  const gasLimit = request.gas !== null && request.gas < cap ? request.gas : cap
  const simulated = (of: CallRequest) => (gas: bigint) => simulatedCall(of, gas, nonce, deps.chainId, rules)
  const { accessListTransactions } = ethParameters(rules.ethFork)
  const { maxPriorityFeePerGasWei: tipWei } = request
  // As go-ethereum's defaults of a transaction that is to be sent.
  const maxFeePerGasWei = request.maxFeePerGasWei ?? (tipWei === null ? null : tipWei + 2n * (header.baseFeeWei ?? 0n))
  const listing = accessListTransactions ? { ...request, maxFeePerGasWei, accessList: request.accessList ?? [] } : request
  return { request, block, context, balanceWei, cap, gasLimit, call: simulated(request), callWithList: simulated(listing) }
}

/** Only eth_simulateV1 supports these overrides. */
function refuseBlockOnly({ parentBeaconBlockRoot, withdrawals }: BlockOverrides): void {
  const refuse = (name: string) => serverError(`block override "${name}" is not supported for this RPC method`)
  if (parentBeaconBlockRoot !== null) throw refuse('beaconRoot')
  if (withdrawals !== null) throw refuse('withdrawals')
}

function overriddenHeader({ hash, header }: SealedHeader, overrides: BlockOverrides): SimulationContext['header'] {
  const { number, prevRandao } = overrides
  return {
    ...header,
    // If the number is overridden, the selected block becomes the parent.
    ...(number === null || number === header.number ? {} : { number, parentHash: hash }),
    ...(overrides.timestampSec === null ? {} : { timestampSec: overrides.timestampSec }),
    ...(overrides.gasLimit === null ? {} : { gasLimit: overrides.gasLimit }),
    ...(overrides.feeRecipient === null ? {} : { feeRecipient: overrides.feeRecipient }),
    ...(prevRandao === null ? {} : { mixHash: toHash(prevRandao) }),
    ...(overrides.difficulty === null ? {} : { difficulty: overrides.difficulty }),
    ...(overrides.baseFeeWei === null ? {} : { baseFeeWei: overrides.baseFeeWei }),
  }
}
