import { bumpFees, type FeeQuote, type Signer, suggestFees, type TransactionFees, UNLIMITED_FEES } from '@keelson/client'
import { bytesToHex, hexToBytes, type Logger, TX_FEE_MARKET } from '@keelson/primitives'
import type { ExecutionRecord, SignedAttempt, TradeStep } from './record.ts'
import type { PlannedCall, TradingChain } from './trading-chain.ts'

export interface PricedCall extends PlannedCall {
  readonly purpose: TradeStep['purpose']
  readonly gasLimit: bigint
}

/** The fees exceed those of `replaced`, which may still be in the pool with the same nonces. */
export function feesFor(quote: FeeQuote, replaced: readonly SignedAttempt[]): TransactionFees {
  return replaced.reduce(
    (fees, attempt) => higher(fees, bumpFees(feesOf(attempt), quote, UNLIMITED_FEES)),
    suggestFees(quote, UNLIMITED_FEES),
  )
}

export function gasCostWei(calls: readonly Pick<PricedCall, 'gasLimit'>[], fees: TransactionFees): bigint {
  return calls.reduce((sum, { gasLimit }) => sum + gasLimit, 0n) * fees.maxFeePerGasWei
}

/** Throws ClientError `client/signer`. */
export async function signSteps(
  calls: readonly PricedCall[],
  firstNonce: bigint,
  fees: TransactionFees,
  wallet: { readonly signer: Signer; readonly chainId: number },
): Promise<readonly TradeStep[]> {
  const steps: TradeStep[] = []
  for (const [i, call] of calls.entries()) {
    const step: TradeStep = {
      purpose: call.purpose,
      to: call.to,
      data: call.data,
      valueWei: String(call.valueWei),
      gasLimit: String(call.gasLimit),
      nonce: String(firstNonce + BigInt(i)),
      attempts: [],
    }
    steps.push(await withAttempt(step, fees, wallet))
  }
  return steps
}

export function raiseStep(
  step: TradeStep,
  quote: FeeQuote,
  wallet: { readonly signer: Signer; readonly chainId: number },
): Promise<TradeStep> {
  return withAttempt(step, feesFor(quote, step.attempts.slice(-1)), wallet)
}

export function maxStepCostWei(step: TradeStep): bigint {
  return BigInt(step.attempts.at(-1)?.maxFeePerGasWei ?? 0) * BigInt(step.gasLimit)
}

/** The settler resends transactions that are not accepted. */
export async function announce(
  record: Pick<ExecutionRecord, 'id'>,
  steps: readonly TradeStep[],
  chain: TradingChain,
  log: Logger,
): Promise<void> {
  for (const { attempts, nonce } of steps) {
    const newest = attempts.at(-1)
    if (newest === undefined) continue
    await chain.sendRaw(newest.raw).catch((error: unknown) => log.debug('node did not accept a trade', { id: record.id, nonce, error }))
  }
}

async function withAttempt(
  step: TradeStep,
  fees: TransactionFees,
  { signer, chainId }: { readonly signer: Signer; readonly chainId: number },
): Promise<TradeStep> {
  const { maxFeePerGasWei, maxPriorityFeePerGasWei } = fees
  const signed = await signer.signTransaction({
    type: TX_FEE_MARKET,
    chainId: BigInt(chainId),
    nonce: BigInt(step.nonce),
    gasLimit: BigInt(step.gasLimit),
    to: hexToBytes(step.to),
    valueWei: BigInt(step.valueWei),
    data: hexToBytes(step.data),
    accessList: [],
    maxFeePerGasWei,
    maxPriorityFeePerGasWei,
  })
  const attempt: SignedAttempt = {
    hash: signed.hash,
    raw: bytesToHex(signed.raw),
    maxFeePerGasWei: String(maxFeePerGasWei),
    maxPriorityFeePerGasWei: String(maxPriorityFeePerGasWei),
  }
  return { ...step, attempts: [...step.attempts, attempt] }
}

function feesOf({ maxFeePerGasWei, maxPriorityFeePerGasWei }: SignedAttempt): TransactionFees {
  return { maxFeePerGasWei: BigInt(maxFeePerGasWei), maxPriorityFeePerGasWei: BigInt(maxPriorityFeePerGasWei), maxFeePerBlobGasWei: null }
}

function higher(a: TransactionFees, b: TransactionFees): TransactionFees {
  return {
    maxFeePerGasWei: a.maxFeePerGasWei > b.maxFeePerGasWei ? a.maxFeePerGasWei : b.maxFeePerGasWei,
    maxPriorityFeePerGasWei: a.maxPriorityFeePerGasWei > b.maxPriorityFeePerGasWei ? a.maxPriorityFeePerGasWei : b.maxPriorityFeePerGasWei,
    maxFeePerBlobGasWei: null,
  }
}
