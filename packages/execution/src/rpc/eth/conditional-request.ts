/** Returns op-geth's errors. ERC-7796 */
import { CodecError, parseAddress, parseHash, parseJsonObject, parseOptional, parseQuantity, parseQuantity64 } from '@keelson/primitives'
import type { RpcContext } from '@keelson/runtime'
import {
  conditionalCost,
  failedBlockBound,
  failedStorageCondition,
  type KnownAccount,
  MAX_CONDITIONAL_COST,
  type TransactionConditional,
} from '../../txpool/conditional.ts'
import { rpcError } from '../errors.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'
import { getView } from '../state-view.ts'

/** Each look-up is made in the states of the head and its parent, and again by the builder. */
const LOOKUPS_PER_TOKEN = 20

const KNOWN_FIELDS = ['knownAccounts', 'blockNumberMin', 'blockNumberMax', 'timestampMin', 'timestampMax']

/** Also throws CodecError for an unknown field: a misspelt condition must not count as absent. */
export function parseConditional(value: unknown): TransactionConditional {
  const o = parseJsonObject(value, 'conditional')
  const unknown = Object.keys(o).find((name) => !KNOWN_FIELDS.includes(name))
  if (unknown !== undefined)
    throw new CodecError(
      'codec/json',
      `conditional: unknown field ${JSON.stringify(unknown.slice(0, 64))}; known are ${KNOWN_FIELDS.join(', ')}`,
    )
  const known = parseOptional(o.knownAccounts, 'knownAccounts', parseJsonObject) ?? {}
  return {
    knownAccounts: Object.entries(known).map(([address, storage]) => parseKnownAccount(address, storage)),
    blockNumberMin: parseOptional(o.blockNumberMin, 'blockNumberMin', parseQuantity),
    blockNumberMax: parseOptional(o.blockNumberMax, 'blockNumberMax', parseQuantity),
    timestampMin: parseOptional(o.timestampMin, 'timestampMin', parseQuantity64),
    timestampMax: parseOptional(o.timestampMax, 'timestampMax', parseQuantity64),
  }
}

function parseKnownAccount(key: string, storage: unknown): KnownAccount {
  const address = parseAddress(key, 'knownAccounts')
  if (typeof storage === 'string') return { address, storage: parseHash(storage, key) }
  if (typeof storage !== 'object' || storage === null || Array.isArray(storage))
    throw new CodecError('codec/json', `knownAccounts of ${address}: expected a storage root, or an object of slots and values`)
  const slots = Object.entries(storage)
  return { address, storage: slots.map(([slot, found]) => ({ slot: parseHash(slot, key), value: parseHash(found, key) })) }
}

/**
 * Also checks the state of the head's parent, so that reacting fast to a new head gives no advantage. Throws -32003 when a
 * condition fails, -32005 when the cost exceeds the limit or the caller's tokens.
 */
export type CheckConditional = (conditional: TransactionConditional, context: RpcContext) => Promise<void>

export function createConditionalCheck({ chain, state }: RpcDependencies): CheckConditional {
  return async (conditional, { caller }) => {
    const cost = conditionalCost(conditional)
    if (cost > MAX_CONDITIONAL_COST) throw rpcError('conditionCost', ` ${cost}, exceeded max: ${MAX_CONDITIONAL_COST}`)
    const disordered = disorder(conditional)
    if (disordered !== null) throw rpcError('conditionFailed', ` conditional validation: ${disordered}`)
    const head = chain.label('unsafe')
    const outside = failedBlockBound(conditional, head.header)
    if (outside !== null) throw rpcError('conditionFailed', ` header check: ${outside}`)
    const waitMs = (await caller?.reserve(Math.ceil(cost / LOOKUPS_PER_TOKEN))) ?? 0
    if (waitMs > 0) throw rpcError('conditionRate', ` ${cost} rate limited`)
    const differs = failedStorageCondition(conditional, getView(chain, state, head))
    if (differs !== null) throw rpcError('conditionFailed', ` state check: ${differs}`)
    const { parentHash } = head.header
    const parent = chain.header(parentHash)
    if (parent === null) return
    const differed = failedStorageCondition(conditional, getView(chain, state, { hash: parentHash, header: parent }))
    if (differed !== null) throw rpcError('conditionFailed', ` parent block ${parentHash} state check: ${differed}`)
  }
}

function disorder({ blockNumberMin, blockNumberMax, timestampMin, timestampMax }: TransactionConditional): string | null {
  if (blockNumberMin !== null && blockNumberMax !== null && blockNumberMin > blockNumberMax)
    return 'block number minimum constraint must be less than the maximum'
  if (timestampMin !== null && timestampMax !== null && timestampMin > timestampMax)
    return 'timestamp minimum constraint must be less than the maximum'
  return null
}
