import { ethParameters } from '@keelson/chainspec'
import { type HeaderSkeleton, openBlock } from '@keelson/evm'
import {
  type Bytes20,
  decodeTransaction,
  encodeHeader,
  formatData,
  type Hash,
  hexToBytes,
  L2_TO_L1_MESSAGE_PASSER,
  parseHash,
  parsePayloadAttributesJson,
  recoverSender,
  type StateDiff,
  type Transaction,
  toHash,
  type Withdrawal,
  ZERO_HASH,
} from '@keelson/primitives'
import type { RpcContext } from '@keelson/runtime'
import type { WitnessRecorder } from '@keelson/state'
import { blockSkeleton } from '../../builder/block-skeleton.ts'
import { checkAttributes } from '../../builder/check-attributes.ts'
import type { SealedHeader } from '../../chain/chain-reader.ts'
import { rpcError, serverError } from '../errors.ts'
import { createTraceBudget } from '../limits/trace-budget.ts'
import { argument, findBlock, parseBlockSelector } from '../params.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { stateUnavailable } from '../state-view.ts'
import { parentOf } from './parent-of.ts'

/** The lists hold hex strings: sorted, except that headers end with the parent's. */
export interface ExecutionWitness {
  readonly state: readonly string[]
  readonly codes: readonly string[]
  readonly keys: readonly string[]
  readonly headers: readonly string[]
}

interface Execution {
  readonly parent: SealedHeader
  readonly header: HeaderSkeleton
  readonly transactions: readonly Transaction[]
  readonly withdrawals: readonly Withdrawal[] | null
}

const MESSAGE_PASSER = hexToBytes(L2_TO_L1_MESSAGE_PASSER)

export function witnessMethods(deps: ReadDependencies) {
  const { chain, crypto, options } = deps

  const record = async (execution: Execution, context: RpcContext) => {
    const { parent, header, transactions, withdrawals } = execution
    const recorder = recorderAt(deps, parent)
    const bounds = { timeoutMs: options.maxTraceTimeoutMs, maxBytes: options.maxTraceBytes, signal: context.signal }
    const budget = createTraceBudget(deps.clock, bounds)
    const rules = deps.rules.rulesAt(header)
    let oldest = parent.header.number
    const open = openBlock({
      engine: deps.evm,
      view: recorder.view,
      header,
      rules,
      transition: deps.rules.transitionAt(parent.header, header),
      chainId: deps.chainId,
      crypto,
      withdrawals,
      transactions,
      rootOf: () => ZERO_HASH,
      blockHash(number) {
        const hash = chain.ancestorHash(parent, number)
        if (hash !== null) oldest = Math.min(oldest, number)
        return hash
      },
    })
    const { lowSignatures } = ethParameters(rules.ethFork)
    open.applySystemCalls()
    for (const [index, tx] of transactions.entries()) {
      const done = open.applyTransaction(tx, senderOf(deps, tx, lowSignatures))
      if (done.kind === 'rejected') throw serverError(`could not apply tx ${index} [${tx.hash}]: ${done.message}`)
      await budget.breathe()
    }
    const { diff } = open.finish()
    return { root: rootAfter(recorder, diff, rules.withdrawals === 'storage-root'), recorder, oldest, budget }
  }

  const answer = ({ recorder, oldest, budget }: Awaited<ReturnType<typeof record>>, parent: SealedHeader): ExecutionWitness => {
    const { nodes, codes, keys } = recorder.witness()
    for (const part of [nodes, codes, keys]) for (const bytes of part) budget.spend(2 * bytes.length)
    return {
      state: nodes.map(formatData),
      codes: codes.map(formatData),
      keys: keys.map(formatData),
      headers: headersBetween(deps, oldest, parent),
    }
  }

  return {
    async debug_executionWitness(params: readonly unknown[], context: RpcContext): Promise<ExecutionWitness> {
      const found = findBlock(chain, argument(params, 0, parseBlockSelector))
      const block = found === null ? null : chain.block(found.hash)
      if (block === null) throw rpcError('blockNotFound')
      const parent = parentOf(deps, block.header.parentHash)
      const { transactions, withdrawals, header } = block
      const recorded = await record({ parent, header, transactions, withdrawals }, context)
      if (recorded.root !== header.stateRoot) {
        throw serverError(`block ${header.number}: repeated execution has state root ${recorded.root}, the header ${header.stateRoot}`)
      }
      return answer(recorded, parent)
    },
    async debug_payloadWitness(params: readonly unknown[], context: RpcContext): Promise<ExecutionWitness> {
      const parent = parentOf(deps, argument(params, 0, parseHash))
      const attributes = argument(params, 1, parsePayloadAttributesJson)
      const { limit = null } = deps.rules
      if (limit?.refuses(attributes.timestampSec)) throw serverError(`this block cannot be executed: ${limit.sentence}`)
      const rules = deps.rules.rulesAt({ number: parent.header.number + 1, timestampSec: attributes.timestampSec })
      const problem = checkAttributes(attributes, parent.header, rules)
      if (problem !== null) throw serverError(`invalid payload attributes: ${problem}`)
      const transactions = argument([0, attributes], 1, () => attributes.transactions.map(decodeTransaction))
      const header = blockSkeleton(parent, attributes, rules)
      return answer(await record({ parent, header, transactions, withdrawals: attributes.withdrawals }, context), parent)
    },
  }
}

function recorderAt({ chain, state }: ReadDependencies, block: SealedHeader): WitnessRecorder {
  const recorder = state.recordAt(block.hash) ?? (chain.isCanonical(block) ? state.recordAtNumber(block.header.number) : null)
  if (recorder === null) throw stateUnavailable(state, block)
  return recorder
}

function senderOf({ crypto }: ReadDependencies, tx: Transaction, lowSignatures: boolean): Bytes20 {
  const sender = recoverSender(tx, crypto, lowSignatures)
  if (sender === null) throw serverError(`transaction ${tx.hash} has no valid signature`)
  return sender
}

function rootAfter(recorder: WitnessRecorder, diff: StateDiff, withStorageRoot: boolean): Hash {
  const computed = recorder.rootOf(diff)
  if (withStorageRoot) computed.storageRoot(MESSAGE_PASSER)
  return toHash(computed.root)
}

function headersBetween({ chain }: ReadDependencies, oldest: number, parent: SealedHeader): string[] {
  const headers: string[] = []
  for (let header: SealedHeader['header'] | null = parent.header; header !== null && header.number >= oldest; ) {
    headers.unshift(formatData(encodeHeader(header)))
    header = header.number === oldest ? null : chain.header(header.parentHash)
  }
  return headers
}
