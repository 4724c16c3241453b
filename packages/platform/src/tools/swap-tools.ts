import { toChecksumAddress } from '@keelson/primitives'
import { z } from 'zod'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import { onChain } from '../market/chain/chains.ts'
import { SourceError } from '../market/source-error.ts'
import { isOutage } from '../market/tool-answer.ts'
import { problem, succeeded, type ToolOutcome } from '../market/tool-outcome.ts'
import { BasisPoints, EvmInput, EvmInputFields, PositiveDecimalText, Thresholds } from '../schemas/evm-input.ts'
import { ExecutionFields, type ExecutionRequest, type ExecutionResult, IdempotencyKey } from '../schemas/execution.ts'
import { optional } from '../schemas/fields/optional.ts'
import type { Quote } from '../schemas/quote.ts'
import { RISK_CHECKS, RiskCheckName, type RiskReport } from '../schemas/risk.ts'
import type { Caller, ExecutionOutcome, Executor } from '../trading/execution/executor.ts'
import { REFERENCE_VENUE } from '../trading/quote/bind-quote.ts'
import { bestQuote, type QuoteOutcome, type Quoter } from '../trading/quote/quoter.ts'
import type { RiskAssessor } from '../trading/risk/assess.ts'
import type { QuoteStore } from '../trading/stores/quotes.ts'
import type { WalletName } from '../trading/wallets/wallets.ts'
import { ChainArgument, type ChainToolDependencies, chainSource, TokenArgument } from './chain-tools.ts'
import { type AnyTool, sessionTool } from './tool.ts'

export interface SwapToolDependencies extends ChainToolDependencies {
  readonly trading: {
    readonly quotes: Quoter
    readonly risk: RiskAssessor
    readonly quoteStore: Pick<QuoteStore, 'get'>
    readonly execution: Pick<Executor, 'execute' | 'find'> | null
    readonly wallets: { list(userId: number): Promise<readonly WalletName[]> }
  }
}

export interface QuoteResult extends Quote {
  readonly executable: boolean
  readonly chain: string
  readonly chain_id: number
  readonly token_in: string
  readonly token_out: string
  readonly amount_in: string
  readonly input: EvmInput
  readonly source: string
}

export interface RiskResult extends RiskReport {
  readonly quote: Quote | null
  readonly source: string
}

export interface ExecutionToolResult extends ExecutionResult {
  readonly execution_id: string | null
  readonly source: string
}

export interface WalletsResult {
  readonly wallets: readonly {
    readonly wallet_ref: string
    readonly address: string
    readonly chain_id: number
    readonly shared: boolean
  }[]
  readonly source: string
}

const SwapArguments = z.strictObject({
  token_in: TokenArgument.describe('The sold token: symbol of a configured token, or an address'),
  token_out: TokenArgument.describe('The bought token'),
  amount: PositiveDecimalText.describe('Amount to sell, in whole units'),
  amount_currency: EvmInputFields.shape.amount_in_currency,
  slippage_bps: optional(BasisPoints).describe('Default: 50'),
  chain: ChainArgument,
})

const ExecutionArguments = {
  wallet_ref: ExecutionFields.shape.wallet_ref,
  quote_id: ExecutionFields.shape.quote_id,
  skip_risk: ExecutionFields.shape.skip_risk,
  thresholds: optional(Thresholds),
}

const NO_WALLETS = problem('not-configured', 'no wallet is configured for trading: the operator names some by --trading.config')
const MAX_WALLETS = 50
const TOKEN_CHECKS = ['rug', 'whale_flow', 'gas_spike'] as const

export function createSwapTools(deps: SwapToolDependencies): readonly AnyTool[] {
  return [...quoteTools(deps), ...executionTools(deps)]
}

async function withSwap<T>(
  { chains, names }: ChainToolDependencies,
  args: z.output<typeof SwapArguments>,
  use: (input: EvmInput, chain: ChainReader) => Promise<ToolOutcome<T>>,
): Promise<ToolOutcome<T>> {
  return onChain(chains, args.chain, async (chain) => {
    const [sold, bought] = [await names.find(chain, args.token_in), await names.find(chain, args.token_out)]
    if (!sold.ok) return sold
    if (!bought.ok) return bought
    const parsed = EvmInput.safeParse({
      chain_id: chain.config.id,
      token_in_address: sold.value,
      token_out_address: bought.value,
      amount_in: args.amount,
      amount_in_currency: args.amount_currency ?? 'token_units',
      slippage_bps: args.slippage_bps,
    })
    if (parsed.success) return use(withoutUndefined(parsed.data), chain)
    const [issue] = parsed.error.issues
    return problem('invalid', `${issue?.path.join('.') ?? 'input'}: ${issue?.message ?? 'it does not fit'}`)
  })
}

function quoteTools(deps: SwapToolDependencies): readonly AnyTool[] {
  const { chains, names } = deps
  const { quotes, risk, quoteStore } = deps.trading

  async function quoteToAssess(quoteId: string | undefined, input: EvmInput, sessionId: string): Promise<ToolOutcome<Quote>> {
    if (quoteId === undefined) {
      const outcome = await bestQuote(quotes, input, sessionId)
      return outcome.ok ? succeeded(outcome.quote) : problem(outcome.field === null ? 'not-found' : 'invalid', outcome.detail)
    }
    const stored = await quoteStore.get(quoteId)
    return stored?.sessionId === sessionId ? succeeded(stored.quote) : problem('not-found', 'this session has no such quote')
  }

  return [
    sessionTool({
      name: 'quote_reference',
      title: 'Reference quote',
      description: 'The output of a swap at oracle prices, without pools. It cannot be executed.',
      input: SwapArguments,
      call: (args, { caller }) =>
        withSwap(deps, args, async (input, chain) => quoteResult(await quotes.reference(input, caller.sessionId), input, chain)),
    }),
    sessionTool({
      name: 'quote_swap',
      title: 'Quote',
      description:
        "What the chain's exchange would give for a swap now: amount out, price impact, fees, route, until when it is good. quote_id and input name it for an execution. Moves nothing.",
      input: SwapArguments,
      call: (args, { caller }) =>
        withSwap(deps, args, async (input, chain) => quoteResult(await quotes.executable(input, caller.sessionId), input, chain)),
    }),
    sessionTool({
      name: 'risk_assess',
      title: 'Risk of a swap',
      description:
        'Level (low, medium, high, unknown) and score from 0 to 10 of a swap, with the checks behind it: tokens, large flows, pool price against oracle, gas. Of a quote given before (quote_id), else of one made now.',
      input: SwapArguments.extend({
        checks: optional(z.array(RiskCheckName).max(16)).describe('Default: all'),
        thresholds: optional(Thresholds),
        quote_id: optional(z.string().min(1).max(200)),
      }),
      call: ({ checks, thresholds, quote_id, ...args }, { caller: { sessionId } }) =>
        withSwap(deps, args, async (input, chain): Promise<ToolOutcome<RiskResult>> => {
          const { chain_id, token_in_address, token_out_address } = input
          const found = await quoteToAssess(quote_id, input, sessionId)
          if (!found.ok) return found
          const subject = { chain: 'evm' as const, chain_id, addresses: [token_in_address, token_out_address] }
          const request = { quote: found.value, input: { ...subject, checks: checks ?? [...RISK_CHECKS] }, thresholds }
          const report = await risk.preview(request, sessionId)
          return succeeded({ ...report, quote: found.value, source: `tokens, pools, feeds and base fees of ${chainSource(chain.config)}` })
        }),
    }),
    sessionTool({
      name: 'token_risk',
      title: 'Risk of a token',
      description: 'Risk of holding a token, whatever it is swapped for: whether it is listed, its liquidity, large flows, gas.',
      input: z.strictObject({ token: TokenArgument, chain: ChainArgument }),
      call: ({ token, chain: name }) =>
        onChain(chains, name, async (chain): Promise<ToolOutcome<RiskResult>> => {
          const found = await names.find(chain, token)
          if (!found.ok) return found
          const report = await risk.assessTokens(chain.config.id, [found.value], TOKEN_CHECKS)
          return succeeded({ ...report, quote: null, source: `tokens, pools and base fees of ${chainSource(chain.config)}` })
        }),
    }),
  ]
}

function executionTools(deps: SwapToolDependencies): readonly AnyTool[] {
  const { execution, wallets } = deps.trading

  async function execute(request: ExecutionRequest, caller: Caller): Promise<ToolOutcome<ExecutionToolResult>> {
    if (execution === null) return NO_WALLETS
    const source = `chain ${request.input.chain_id}`
    const outcome = await execution.execute(request, caller).catch((error: unknown) => {
      if (!isOutage(error) || error instanceof SourceError) throw error
      throw new SourceError(source, 'unreachable', error.message, { cause: error })
    })
    if (outcome.kind === 'done') return succeeded({ ...outcome.result, execution_id: outcome.executionId, source })
    return executionProblem(outcome)
  }

  return [
    sessionTool({
      name: 'wallets_list',
      title: 'Wallets',
      description:
        "The wallets that the operator set up for this user: wallet_ref, address, chain, and whether all users share it. From the platform's configuration.",
      input: z.strictObject({}),
      async call(_, { caller }): Promise<ToolOutcome<WalletsResult>> {
        const listed = (await wallets.list(caller.userId)).slice(0, MAX_WALLETS)
        return succeeded({
          wallets: listed.map(({ walletRef, address, chainId, shared }) => ({
            wallet_ref: walletRef,
            address: toChecksumAddress(address),
            chain_id: chainId,
            shared,
          })),
          source: "the platform's configuration",
        })
      },
    }),
    sessionTool({
      name: 'swap_simulate',
      title: 'Simulate a swap',
      description:
        'Runs a swap of a wallet on the newest state of the chain, with quote, risk and policy as an execution has them. Sends nothing.',
      input: SwapArguments.extend(ExecutionArguments),
      call: ({ wallet_ref, quote_id, skip_risk, thresholds, ...args }, { caller }) =>
        withSwap(deps, args, (input) => {
          const request = { input: { ...input, simulate_only: true }, confirm: false, wallet_ref, skip_risk, thresholds, quote_id }
          return execute(withoutUndefined(request), { ...caller, idempotencyKey: null })
        }),
    }),
    sessionTool({
      name: 'execution_status',
      title: 'Execution',
      description: 'Status of an execution that was sent: pending, success or failed, with its transaction.',
      input: z.strictObject({ execution_id: z.string().min(1).max(100) }),
      async call({ execution_id }, { caller }) {
        if (execution === null) return NO_WALLETS
        const found = await execution.find(execution_id, caller.userId)
        if (found === null) return problem('not-found', 'there is no such execution of this user')
        if (found.kind === 'undecided') return problem('limit', 'it is not decided, nothing of it is signed: ask again in a moment')
        if (found.kind === 'refused') return problem('not-found', `it was refused and nothing was sent: ${found.detail}`)
        return succeeded({ ...found.result, execution_id, source: "the platform's record of the execution" })
      },
    }),
    sessionTool(
      {
        name: 'swap_execute',
        title: 'Execute a swap',
        description:
          'Moves money: signs and sends a swap of a wallet. Takes the input of a quote with simulate_only false, confirm true, and an idempotency_key of the caller, under which the swap happens once however often it is asked for. The policy of the wallet decides.',
        input: z.strictObject({ input: EvmInput, confirm: z.literal(true), idempotency_key: IdempotencyKey, ...ExecutionArguments }),
        call: ({ idempotency_key, ...request }, { caller }) =>
          execute(withoutUndefined(request), { ...caller, idempotencyKey: idempotency_key }),
      },
      'moves-money',
    ),
  ]
}

/** A request's digest must not depend on undefined fields. */
function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T
}

function quoteResult(outcome: QuoteOutcome, input: EvmInput, { config }: ChainReader): ToolOutcome<QuoteResult> {
  if (!outcome.ok) return problem(outcome.field === null ? 'not-found' : 'invalid', outcome.detail)
  const { quote, swap, dexRoute } = outcome
  const prices = new Set([swap.priceIn, swap.priceOut].flatMap((price) => price?.source ?? []))
  return succeeded({
    ...quote,
    executable: quote.venue !== REFERENCE_VENUE,
    chain: config.name,
    chain_id: config.id,
    token_in: swap.tokenIn.symbol,
    token_out: swap.tokenOut.symbol,
    amount_in: input.amount_in,
    input,
    source:
      dexRoute === null
        ? `oracle prices (${[...prices].join(' and ')}), no pool`
        : `pools of ${dexRoute.venue} (router ${dexRoute.router}) on ${chainSource(config)}`,
  })
}

function executionProblem(outcome: Exclude<ExecutionOutcome, { readonly kind: 'done' }>) {
  switch (outcome.kind) {
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
