import type { Clock, Logger } from '@keelson/primitives'
import { ApiError } from '../../http/api-error.ts'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { Decimal, unitsToDecimal } from '../../market/decimal.ts'
import { kept, ZERO } from '../../portfolio/accounting.ts'
import { findTrade, type NewTrade, recordTrade } from '../../portfolio/trade-recorder.ts'
import type { Database } from '../../storage/database.ts'
import { isUsable } from '../amounts.ts'
import type { ExecutionRecord, Settlement, TradeTerms } from '../execution/record.ts'
import type { TradingMarket } from '../ports.ts'

export const TRADING_AGENT = 'trading'

const NATIVE_DECIMALS = 18

export interface RecorderDependencies {
  readonly clock: Clock
  readonly log: Logger
  /** Without a market, fees may count as zero. */
  readonly market?: Pick<TradingMarket, 'price'>
}

export function recordExecution(db: Database, { clock, log, market }: RecorderDependencies): (record: ExecutionRecord) => Promise<void> {
  async function nativeUsd({ chainId }: ExecutionRecord, terms: TradeTerms): Promise<Decimal> {
    if (terms.tokenIn === NATIVE_ADDRESS) return new Decimal(terms.priceInUsd)
    if (terms.tokenOut === NATIVE_ADDRESS) return new Decimal(terms.priceOutUsd)
    const price = (await market?.price(chainId, NATIVE_ADDRESS).catch(() => null)) ?? null
    return isUsable(price) ? price.usd : ZERO
  }

  return async (record) => {
    const { terms, settlement, id, userId } = record
    if (record.state !== 'success' || terms === null || settlement === null) return
    const trade = tradeOfExecution(record, terms, settlement, await nativeUsd(record, terms))
    const before = await findTrade(db, userId, trade)
    // The first call counts, because the native price may differ later.
    if (before !== null && before.status !== 'pending') return
    const hash = settlement.txHash
    if (settlement.amountOut === null) log.warn('receipt does not show the output of a trade; recording its least output', { id, hash })
    try {
      await recordTrade(db, userId, trade, clock.nowMs())
    } catch (error) {
      // The user is deleted, has too many positions, or recorded other figures.
      if (!(error instanceof ApiError)) throw error
      log.warn('a settled trade was not recorded in the portfolio', { id, hash, status: error.status, why: error.message })
    }
  }
}

function tradeOfExecution(record: ExecutionRecord, terms: TradeTerms, settlement: Settlement, nativeUsd: Decimal): NewTrade {
  const amountIn = unitsToDecimal(BigInt(terms.amountIn), terms.decimalsIn)
  const amountOut = unitsToDecimal(BigInt(settlement.amountOut ?? terms.minimumOut), terms.decimalsOut)
  return {
    agent: TRADING_AGENT,
    walletAddress: record.wallet,
    chainId: record.chainId,
    venue: terms.venue,
    tokenInAddress: terms.tokenIn,
    tokenInSymbol: terms.symbolIn,
    tokenOutAddress: terms.tokenOut,
    tokenOutSymbol: terms.symbolOut,
    status: 'success',
    simulated: false,
    txHash: settlement.txHash,
    amountIn: amountIn.toFixed(),
    amountOut: amountOut.toFixed(),
    amountInUsd: kept(amountIn.mul(terms.priceInUsd)).toFixed(),
    amountOutUsd: kept(amountOut.mul(terms.priceOutUsd)).toFixed(),
    priceInUsd: kept(new Decimal(terms.priceInUsd)).toFixed(),
    priceOutUsd: kept(new Decimal(terms.priceOutUsd)).toFixed(),
    feesUsd: kept(unitsToDecimal(BigInt(settlement.feeWei), NATIVE_DECIMALS).mul(nativeUsd)).toFixed(),
  }
}
