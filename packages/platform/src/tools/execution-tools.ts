/** Tools that simulate and execute swaps, through the same executor and policy as the endpoint. */
import { toChecksumAddress } from '@keelson/primitives'
import { z } from 'zod'
import type { Chains } from '../market/chain/chains.ts'
import { SourceError } from '../market/source-error.ts'
import { isOutage } from '../market/tool-answer.ts'
import { problem, succeeded, type ToolOutcome } from '../market/tool-outcome.ts'
import { EvmInput, Thresholds } from '../schemas/evm-input.ts'
import { ExecutionRequest, type ExecutionResult, IdempotencyKey } from '../schemas/execution.ts'
import type { Caller, ExecutionOutcome, Executor } from '../trading/execution/executor.ts'
import { onChain } from './chain-choice.ts'
import type { WalletDirectory } from './ports.ts'
import { sessionCaller } from './session-caller.ts'
import { SwapArguments, toEvmInput } from './swap-arguments.ts'
import type { TokenNames } from './token-names.ts'
import { type AnyTool, defineTool } from './tool.ts'

const NO_WALLETS = problem('not-configured', 'no wallet is configured for trading: the operator names some by --trading.config')

export interface ExecutionToolDependencies {
  readonly chains: Chains | null
  readonly names: TokenNames
  readonly trading: {
    /** Null without wallets. */
    readonly execution: Pick<Executor, 'execute' | 'find'> | null
    readonly walletDirectory: WalletDirectory
  }
}

export interface ExecutionToolResult extends ExecutionResult {
  /** For execution_status; null for simulations. */
  readonly execution_id: string | null
  readonly source: string
}

export interface WalletsResult {
  readonly wallets: readonly {
    readonly wallet_ref: string
    readonly address: string
    readonly chain_id: number
    /** Shared by all users. */
    readonly shared: boolean
  }[]
  readonly source: string
}

const WalletRef = ExecutionRequest.shape.wallet_ref
const MAX_WALLETS = 50

export function createExecutionTools({ chains, names, trading }: ExecutionToolDependencies): readonly AnyTool[] {
  const { execution, walletDirectory } = trading

  async function execute(request: ExecutionRequest, caller: Caller): Promise<ToolOutcome<ExecutionToolResult>> {
    if (execution === null) return NO_WALLETS
    const label = `chain ${request.input.chain_id}`
    const outcome = await execution.execute(request, caller).catch((error: unknown) => {
      if (!isOutage(error) || error instanceof SourceError) throw error
      throw new SourceError(label, 'unreachable', error.message, { cause: error })
    })
    return executionResult(outcome, label)
  }

  return [
    defineTool({
      name: 'wallets_list',
      title: 'Wallets',
      description:
        "The wallets that the operator set up for this user: wallet_ref, address, chain, and whether all users share it. From the platform's configuration.",
      input: z.strictObject({}),
      access: 'session',
      effect: 'reads',
      async call(_, context) {
        const listed = await walletDirectory.list(sessionCaller(context).userId)
        return succeeded<WalletsResult>({
          wallets: listed.slice(0, MAX_WALLETS).map(({ walletRef, address, chainId, shared }) => ({
            wallet_ref: walletRef,
            address: toChecksumAddress(address),
            chain_id: chainId,
            shared,
          })),
          source: "the platform's configuration",
        })
      },
    }),
    defineTool({
      name: 'swap_simulate',
      title: 'Simulate a swap',
      description:
        'Runs a swap of a wallet on the newest state of the chain, with quote, risk and policy as an execution has them. Sends nothing.',
      input: SwapArguments.extend({
        wallet_ref: WalletRef,
        quote_id: ExecutionRequest.shape.quote_id,
        skip_risk: ExecutionRequest.shape.skip_risk,
        thresholds: Thresholds.optional(),
      }),
      access: 'session',
      effect: 'reads',
      async call({ wallet_ref, quote_id, skip_risk, thresholds, ...args }, context) {
        const { userId, sessionId } = sessionCaller(context)
        return onChain(chains, args.chain, async (chain) => {
          const input = await toEvmInput(args, chain, names)
          if (!input.ok) return input
          const request = {
            ...{ input: { ...input.value, simulate_only: true }, confirm: false, wallet_ref },
            ...(skip_risk === undefined ? {} : { skip_risk }),
            ...(thresholds === undefined ? {} : { thresholds }),
            ...(quote_id === undefined ? {} : { quote_id }),
          }
          return execute(request, { userId, sessionId, idempotencyKey: null })
        })
      },
    }),
    defineTool({
      name: 'execution_status',
      title: 'Execution',
      description: 'Status of an execution that was sent: pending, success or failed, with its transaction.',
      input: z.strictObject({ execution_id: z.string().min(1).max(100) }),
      access: 'session',
      effect: 'reads',
      async call({ execution_id }, context) {
        if (execution === null) return NO_WALLETS
        const found = await execution.find(execution_id, sessionCaller(context).userId)
        if (found === null) return problem('not-found', 'there is no such execution of this user')
        if (found.kind === 'undecided') return problem('limit', 'it is not decided, nothing of it is signed: ask again in a moment')
        if (found.kind === 'refused') return problem('not-found', `it was refused and nothing was sent: ${found.detail}`)
        return succeeded<ExecutionToolResult>({ ...found.result, execution_id, source: "the platform's record of the execution" })
      },
    }),
    defineTool({
      name: 'swap_execute',
      title: 'Execute a swap',
      description:
        'Moves money: signs and sends a swap of a wallet. Takes the input of a quote with simulate_only false, confirm true, and an idempotency_key of the caller, under which the swap happens once however often it is asked for. The policy of the wallet decides.',
      input: z.strictObject({
        input: EvmInput,
        confirm: z.literal(true),
        wallet_ref: WalletRef,
        idempotency_key: IdempotencyKey,
        quote_id: ExecutionRequest.shape.quote_id,
        skip_risk: ExecutionRequest.shape.skip_risk,
        thresholds: Thresholds.optional(),
      }),
      access: 'session',
      effect: 'moves-money',
      async call({ idempotency_key, ...request }, context) {
        const { userId, sessionId } = sessionCaller(context)
        return execute(withoutUndefined(request), { userId, sessionId, idempotencyKey: idempotency_key })
      },
    }),
  ]
}

/** Drops undefined fields, as in JSON. */
function withoutUndefined(request: ExecutionRequest): ExecutionRequest {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as ExecutionRequest
}

function executionResult(outcome: ExecutionOutcome, source: string): ToolOutcome<ExecutionToolResult> {
  switch (outcome.kind) {
    case 'done':
      return succeeded({ ...outcome.result, execution_id: outcome.executionId, source })
    case 'invalid':
      return problem('invalid', `${outcome.field}: ${outcome.detail}`)
    case 'refused': {
      const { code, detail, report } = outcome.refusal
      const risk = report === null ? '' : ` (risk ${report.level}${report.flags.length === 0 ? '' : `: ${report.flags.join(', ')}`})`
      return problem('invalid', `refused (${code}): ${detail}${risk}`)
    }
    case 'not-found':
      return problem('not-found', outcome.detail)
    case 'conflict':
      return problem('invalid', outcome.detail)
    case 'busy':
      return problem('limit', outcome.detail)
  }
}
