/**
 * Records a settled trade in the user's portfolio: amounts of the receipt, values at the prices of the decision. A trade
 * counts once. The wallet waits for this, so only a database failure throws; a trade that the portfolio refuses is logged.
 */
import type { Clock, Logger } from '@keelson/primitives'
import { and, eq, ne } from 'drizzle-orm'
import { ApiError } from '../../http/api-error.ts'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { Decimal, unitsToDecimal } from '../../market/decimal.ts'
import { kept, ZERO } from '../../portfolio/accounting.ts'
import type { NewTrade } from '../../portfolio/trade-record.ts'
import { createTradeRecorder } from '../../portfolio/trade-recorder.ts'
import type { Database } from '../../storage/database.ts'
import { trades } from '../../storage/schema/portfolio.ts'
import { isUsable } from '../amounts.ts'
import type { ExecutionRecord, Settlement, TradeTerms } from '../execution/record.ts'
import type { TradingMarket } from '../ports.ts'

export const TRADING_AGENT = 'trading'

const NATIVE_DECIMALS = 18

export interface RecorderDependencies {
  readonly clock: Clock
  readonly log: Logger
  /** Prices the native currency for the fees of trades between other tokens; without it those fees count zero. */
  readonly market?: Pick<TradingMarket, 'price'>
}

/** Returns the settler's `onSettled`. It throws what the database throws, and is then called again. */
export function recordExecution(db: Database, { clock, log, market }: RecorderDependencies): (record: ExecutionRecord) => Promise<void> {
  const trades = createTradeRecorder(db)

  async function nativeUsd({ chainId }: ExecutionRecord, terms: TradeTerms): Promise<Decimal> {
    if (terms.tokenIn === NATIVE_ADDRESS) return new Decimal(terms.priceInUsd)
    if (terms.tokenOut === NATIVE_ADDRESS) return new Decimal(terms.priceOutUsd)
    // a missing price does not delay a settlement
    const price = (await market?.price(chainId, NATIVE_ADDRESS).catch(() => null)) ?? null
    return isUsable(price) ? price.usd : ZERO
  }

  return async (record) => {
    const { terms, settlement, id, userId } = record
    if (record.state !== 'success' || terms === null || settlement === null) return
    // the native price may differ at the second call; the first one counts
    if (await isRecorded(db, record, terms, settlement)) return
    if (settlement.amountOut === null)
      log.warn('receipt does not show the output of a trade; recording its least output', { id, hash: settlement.txHash })
    try {
      await trades.record(userId, tradeOfExecution(record, terms, settlement, await nativeUsd(record, terms)), clock.nowMs())
    } catch (error) {
      // the user is gone, has too many positions, or recorded other figures
      if (!(error instanceof ApiError)) throw error
      log.warn('a settled trade is not in the books', { id, hash: settlement.txHash, status: error.status, why: error.message })
    }
  }
}

/** Uses the output of the receipt, else the least output that the router enforces. */
function tradeOfExecution(record: ExecutionRecord, terms: TradeTerms, settlement: Settlement, nativeUsd: Decimal): NewTrade {
  const amountIn = unitsToDecimal(BigInt(terms.amountIn), terms.decimalsIn)
  const amountOut = unitsToDecimal(BigInt(settlement.amountOut ?? terms.minimumOut), terms.decimalsOut)
  return {
    agent: TRADING_AGENT,
    walletAddress: record.wallet,
    chainId: record.chainId,
    venue: terms.venue,
    tokenInAddress: terms.tokenIn,
    tokenOutAddress: terms.tokenOut,
    tokenInSymbol: terms.symbolIn,
    tokenOutSymbol: terms.symbolOut,
    amountIn: amountIn.toFixed(),
    amountOut: amountOut.toFixed(),
    amountInUsd: kept(amountIn.mul(terms.priceInUsd)).toFixed(),
    amountOutUsd: kept(amountOut.mul(terms.priceOutUsd)).toFixed(),
    priceInUsd: kept(new Decimal(terms.priceInUsd)).toFixed(),
    priceOutUsd: kept(new Decimal(terms.priceOutUsd)).toFixed(),
    feesUsd: kept(unitsToDecimal(BigInt(settlement.feeWei), NATIVE_DECIMALS).mul(nativeUsd)).toFixed(),
    status: 'success',
    simulated: false,
    txHash: settlement.txHash,
  }
}

async function isRecorded(
  db: Database,
  { userId, chainId, wallet }: ExecutionRecord,
  { tokenIn, tokenOut }: TradeTerms,
  { txHash }: Settlement,
): Promise<boolean> {
  const count = await db.$count(
    trades,
    and(
      eq(trades.userId, userId),
      eq(trades.chainId, chainId),
      eq(trades.txHash, txHash),
      eq(trades.walletAddress, wallet),
      eq(trades.tokenInAddress, tokenIn),
      eq(trades.tokenOutAddress, tokenOut),
      eq(trades.simulated, false),
      ne(trades.status, 'pending'),
    ),
  )
  return count > 0
}
